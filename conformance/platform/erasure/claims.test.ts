import { useServer } from '@crewhall/testkit/test-server.ts'
import { expect, test } from 'vitest'
import { erasureEnv, newWord, operator, useErasureWorld } from './erasure-world.ts'
import { rowsOfBrand } from './everything.ts'

const server = useServer('product', erasureEnv)
const world = useErasureWorld(server)

test('K12: whoever calls themselves by a word of the product takes it out of nobody else’s rows', async () => {
  const { made, signUp, join } = world
  const [bob, ann] = [await signUp('Bob'), await signUp('Ann')]
  await join(bob, ann)
  // The audit of a role tells it as a word.
  await made(bob, 'PATCH', `/brands/${bob.home}/members/${ann.id}`, { role: 'admin' })
  const [stranger, claimed] = [await signUp('admin'), `${newWord('victim')}@example.test`]
  const pretender = await signUp('Pretender', 'Home', claimed)
  await world.admin.query('update identity.people set email_verified = false where id = $1', [pretender.id])
  await made(bob, 'POST', `/brands/${bob.home}/invitations`, { email: claimed })
  const before = await rowsOfBrand(world.admin, bob.home)
  expect(JSON.stringify(before)).toContain('admin')

  const worker = await server.start('worker')
  for (const { id } of [stranger, pretender]) {
    await world.call(operator, 'POST', `/admin/people/${id}/erasure`)
    await world.done(`people/${id}`)
  }
  await worker.stop()
  const { 'workspaces.invitations': invited, ...rows } = await rowsOfBrand(world.admin, bob.home)
  const { 'workspaces.invitations': _, ...kept } = before
  expect(rows).toEqual(kept)
  expect(JSON.stringify(invited)).toContain(claimed)
})
