import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MemoryWorkspace } from './memory-world.ts'

const server = useServer('product')
let clock: VirtualClock
let work: MemoryWorkspace
beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  work = await MemoryWorkspace.open(server)
  await server.sql(`update identity.tokens set expires_at = now() + interval '1 year'`)
})
afterAll(() => clock.close())

const days = (count: number) => clock.advance(count * 24 * 3_600_000)

/** The job that deletes what has expired, from its start to its end. */
async function sweep(): Promise<void> {
  const ends = async () =>
    (await server.sql(`select from pgboss.job where name = 'platform.sweep' and state = 'completed'`)).length
  const before = await ends()
  await server.sql(`update jobs.schedules set next_at = now() where name = 'platform.sweep'`)
  await waitFor(async () => (await ends()) > before, 60_000)
}

const versions = async (id: string) =>
  (
    await server.sql<{ version: number }>(
      'select version from memory.history where memory_id = $1 order by version',
      [id],
    )
  ).map(({ version }) => version)

test('a deleted memory can be brought back for 90 days after it was deleted for the last time', async () => {
  const worker = await server.start('worker', clock.env)
  const { id: live } = await work.add({ title: 'Live' })
  await work.change(live, { title: 'Still live' })
  const { id: gone } = await work.add({ title: 'Gone' })
  const { id: twice } = await work.add({ title: 'Gone twice' })
  for (const id of [gone, twice]) await work.call('DELETE', `/memories/${id}`)
  await days(60)
  expect((await work.call('POST', `/memories/${twice}/restore`, { version: 1 })).status).toBe(200)
  await work.call('DELETE', `/memories/${twice}`)

  await days(29)
  await sweep()
  expect(await Promise.all([live, gone, twice].map(versions))).toEqual([
    [1, 2],
    [1, 2],
    [1, 2, 3, 4],
  ])
  await days(2)
  await sweep()
  expect(await Promise.all([live, gone, twice].map(versions))).toEqual([[1, 2], [], [1, 2, 3, 4]])
  await days(60)
  await sweep()
  expect(await Promise.all([live, gone, twice].map(versions))).toEqual([[1, 2], [], []])
  await worker.stop()
})
