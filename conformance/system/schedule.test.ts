import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

const server = useServer('probe')
const hourMs = 3_600_000
let clock: VirtualClock
let workers: ServerProcess[]

beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  workers = await Promise.all([server.start('worker', clock.env), server.start('worker', clock.env)])
})
afterAll(async () => {
  clock.close()
})

/** Moves on by an hour and waits for the run of the hour that began. */
const nextHour = async () => {
  await clock.advance(hourMs)
  await waitFor(async () => {
    const { length: rowCount } = await server.sql(
      `select from probe.ticks where at >= date_trunc('hour', platform.now(), 'UTC')`,
    )
    return (rowCount ?? 0) > 0
  }, 30_000)
}
const runsPerHour = async () => {
  const rows = await server.sql<{ runs: number }>(
    `select count(*)::int as runs from probe.ticks group by date_trunc('hour', at, 'UTC')`,
  )
  return rows.map(({ runs }) => runs)
}

test('SYS-17 what runs by the clock runs with no traffic and once an hour across two workers', async () => {
  for (let hour = 0; hour < 6; hour += 1) await nextHour()
  const runs = await runsPerHour()
  expect(runs.length).toBeGreaterThanOrEqual(6)
  expect(new Set(runs)).toEqual(new Set([1]))
  expect(server.api.logs().filter(({ route }) => route !== undefined)).toEqual([])
})

test('SYS-17 what runs by the clock goes on when one of two workers is killed', async () => {
  await workers[0]?.kill()
  await nextHour()
  await nextHour()
  expect(new Set(await runsPerHour())).toEqual(new Set([1]))
})
