import { outside } from '@crewhall/testkit/outside.ts'
import { formOf } from '@crewhall/testkit/people.ts'
import { png } from '@crewhall/testkit/pictures/picture-png.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { expect, test } from 'vitest'
import { type Admin, photoPath, usePhotos } from './photo-workspace.ts'

const server = useServer('probe')
const photos = usePhotos(server)
const uploadRounds = roundsFor(200, 0.4)
const leaveRounds = roundsFor(200, 0.07)

/** Objects that a job is going to remove. */
const doomed = async (brand_id: number) =>
  (
    await photos.at.sql<{ key: string }>(
      `select data -> 'payload' ->> 'object_key' as key from pgboss.job where name = 'workspaces.drop-photo-object'
       and data -> 'payload' ->> 'object_key' like $1`,
      [`member-photos/${brand_id}/%`],
    )
  ).map(({ key }) => key)

const admins: Admin[] = []

/** Two uploads at once in each round. No worker runs, so every object that was ever stored is still there. */
const uploads = (prefix: string, kept: Admin[]) =>
  race<Admin>({
    rounds: uploadRounds,
    isTwin: prefix !== '/api/v1/',
    clients: 2,
    setup: async () => {
      const by = await photos.newAdmin()
      kept.push(by)
      return by
    },
    async act(by, client) {
      const path = photoPath(by).replace('/api/v1/', prefix)
      const body = formOf('file', png({ width: 4, height: 4, fill: [client * 99, 9, 9] }))
      const response = await server.get(path, { headers: bearer(by.token), method: 'POST', body })
      await response.text()
      if (response.status !== 200) throw new Error(`answered ${response.status}`)
    },
    async verdict({ brand_id }, outcomes) {
      if (outcomes.some(({ status }) => status === 'rejected')) return 'an upload failed'
      const [stored, named] = [await photos.objects(brand_id), await photos.named(brand_id)]
      const going = await doomed(brand_id)
      if (named.length !== 1) return `${named.length} pictures`
      if (!named.every((key) => stored.includes(key))) return 'the picture has no object'
      if (named.some((key) => going.includes(key))) return 'the picture is going to be removed'
      const orphans = stored.filter((key) => !named.includes(key) && !going.includes(key))
      return orphans.length > 0 ? `${orphans.length} of ${stored.length} objects are forgotten` : undefined
    },
  })

test('two uploads at once leave one picture, and the object of the other one to a job', async () => {
  const result = await uploads('/api/v1/', admins)
  expect(result).toEqual({ rounds: uploadRounds, wrong: 0, examples: [] })
})

test('the same race forgets objects when the old one is read without a lock', async () => {
  const { rounds, wrong } = await uploads('/api/v1/probe/', [])
  console.log(`naive twin: wrong in ${wrong} of ${rounds} rounds`)
  expect(wrong).toBeGreaterThan(0)
})

/** An upload against the end of the membership it is for. */
const leavings = (prefix: string) =>
  race<{ by: Admin; person_id: number }>({
    rounds: leaveRounds,
    isTwin: prefix !== '/api/v1/',
    clients: 2,
    setup: async () => {
      const by = await photos.newAdmin()
      const { person_id } = await photos.at.join(by.brand_id, 'member')
      return { by, person_id }
    },
    async act({ by, person_id }, client) {
      if (client === 0) {
        const path = photoPath(by, person_id).replace('/api/v1/', prefix)
        const body = formOf('file', png({ width: 4, height: 4 }))
        const response = await server.get(path, { headers: bearer(by.token), method: 'POST', body })
        await response.text()
        return response.status
      }
      const path = `/api/v1/brands/${by.brand_id}/members/${person_id}`
      // Now and then in the middle of the upload: each look at a row takes as long as a step of it.
      for (let n = 0; n < by.brand_id % 12; n += 1) await photos.named(by.brand_id)
      const response = await server.get(path, { headers: bearer(by.token), method: 'DELETE' })
      await response.text()
      if (response.status !== 200) throw new Error(`removal answered ${response.status}`)
    },
    async verdict({ by }, [upload, removal]) {
      if (removal?.status === 'rejected') return String(removal.reason)
      const status = upload?.status === 'fulfilled' ? upload.value : upload?.reason
      if (status !== 200 && status !== 404) return `upload answered ${status}`
      outcomes.set(Number(status), (outcomes.get(Number(status)) ?? 0) + 1)
      const named = await photos.named(by.brand_id)
      return named.length > 0 ? 'somebody who left has a picture' : undefined
    },
  })
const outcomes = new Map<number, number>()

test('an upload while the membership ends leaves no picture of somebody who left', async () => {
  const result = await leavings('/api/v1/')
  console.log(`uploads: ${JSON.stringify(Object.fromEntries(outcomes))}`)
  expect(result).toEqual({ rounds: leaveRounds, wrong: 0, examples: [] })
})

test('the same race leaves pictures when the membership is not looked at again', async () => {
  const { rounds, wrong } = await leavings('/api/v1/probe/')
  console.log(`naive twin: wrong in ${wrong} of ${rounds} rounds`)
  expect(wrong).toBeGreaterThan(0)
})

test('after jobs and sweep there is exactly one object for each picture', async () => {
  const clock = createVirtualClock(server.database.name)
  await server.start('worker', clock.env)
  await clock.advance(2 * 3_600_000)
  await waitFor(async () => {
    const brands = await photos.at.sql<{ brand_id: number }>(
      'select brand_id from workspaces.member_photos order by 1',
    )
    const stored = await photos.storage.list(outside, 'member-photos/')
    const owners = stored.map(({ key }) => Number(key.split('/')[1])).sort((a, b) => a - b)
    return owners.join() === brands.map(({ brand_id }) => brand_id).join()
  }, 120_000)
  expect(admins).toHaveLength(uploadRounds)
  for (const by of admins.slice(0, 20)) {
    expect((await server.get(photoPath(by), { headers: bearer(by.token) })).status).toBe(200)
  }
  clock.close()
})
