import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, onTestFinished, test } from 'vitest'
import { listLetters, newMailAddress } from '../members/letters.ts'
import { useGuests } from './guests-world.ts'

const env = { PUBLIC_URL: 'https://crewhall.test/', DATABASE_LOCK_TIMEOUT_MS: '1000' }
const server = useServer('product', env)
const world = useGuests(server)

test('K20: a new guest is told by mail what is shared with them, by whom, and where to open it', async () => {
  const worker = await server.start('worker', env)
  onTestFinished(async () => {
    await worker.stop()
  })
  const brand = await world.newBrand()
  const guest = await world.newPerson('Gus Guest', newMailAddress())
  await world.admit(brand, await world.newSpace(brand), guest, 'editor')
  const [letter] = await waitFor(async () => {
    const letters = await listLetters(guest.email)
    return letters.length > 0 && letters
  }, 120_000)
  expect(letter?.subject).toMatch(/ is shared with you$/)
  expect(letter?.text).toMatch(
    /^Hello Gus Guest,\n\n.+ of the workspace .+ has shared the docs space .+ with you\.\n/,
  )
  expect(letter?.text).toContain('You can read and edit it until they revoke your access.')
  expect(letter?.text).toContain('https://crewhall.test\n')
})

test('K20: a locked table of the docs is not blamed on the boards', async () => {
  const brand = await world.newBrand()
  await world.newGuest(brand)
  const client = await server.connection('owner')
  onTestFinished(() => client.end())
  await client.query('begin; lock table docs_spaces.guests in access exclusive mode')
  expect(await world.guestsOf(brand)).toEqual({
    status: 502,
    body: { detail: 'Docs service returned an invalid response' },
  })
  await client.query('rollback')
  expect((await world.guestsOf(brand)).status).toBe(200)
})
