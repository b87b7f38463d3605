import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useMarks } from './job-marks.ts'

const minute = 60_000
const hour = 60 * minute
const server = useServer('probe')
const marks = useMarks(server)
let clock: ReturnType<typeof createVirtualClock>
const startWorkers = () => Promise.all([0, 1].map(() => server.start('worker', clock.env)))
let workers: Awaited<ReturnType<typeof startWorkers>> = []

beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  // No hour of the real clock may strike while an hour is looked at.
  await clock.advance(hour - (Date.now() % hour) + 5 * minute)
  workers = await startWorkers()
})
afterAll(() => clock.close())

const settled = async (name: string) =>
  (await marks.sql(`select from pgboss.job where name = $1 and state in ('active', 'retry')`, [name]))
    .length === 0

test('a job that always fails is tried at 0, 10 min, 30 min, 2 h and 8 h after each other, and never a sixth time', async () => {
  const key = await marks.job('ladder')
  const attempts = () =>
    marks.sql<{ attempt: number; at: Date }>(
      'select attempt, at from probe.attempts where key = $1 order by at',
      [key],
    )
  const reached = (n: number) =>
    waitFor(async () => (await attempts()).length >= n && settled('probe.ladder'), 30_000)
  const waits = [10 * minute, 30 * minute, 2 * hour, 8 * hour]
  for (const [at, wait] of waits.entries()) {
    await reached(at + 1)
    // A minute before its time nothing may run: the next attempt shows when it comes.
    await clock.advance(wait - minute)
    const tick = await marks.add()
    await marks.done(tick, 30_000)
    expect(await attempts()).toHaveLength(at + 1)
    await clock.advance(minute)
  }
  await reached(5)
  const dead = `select source_name from pgboss.job where name = 'jobs.dead' and data -> 'payload' ->> 'key' = $1`
  expect(await marks.sql(dead, [key])).toEqual([{ source_name: 'probe.ladder' }])
  const waiting = `select from pgboss.job where name = 'probe.ladder' and state < 'completed'`
  expect(await marks.sql(waiting)).toEqual([])
  const found = await attempts()
  expect(found.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5])
  const gaps = found.slice(1).map(({ at }, before) => at.getTime() - (found[before]?.at.getTime() ?? 0))
  for (const [at, gap] of gaps.entries()) {
    expect(gap).toBeGreaterThanOrEqual(waits[at] ?? 0)
    expect(gap).toBeLessThan((waits[at] ?? 0) + minute)
  }
})

test('a clock-driven job runs once an hour however many workers there are', async () => {
  const ticks = async () =>
    await marks.sql<{ hour: string; n: number }>(
      `select date_trunc('hour', at)::text as hour, count(*)::int as n from probe.ticks group by 1 order by 1`,
    )
  for (let round = 0; round < 5; round += 1) {
    const before = (await ticks()).length
    await clock.advance(hour)
    await waitFor(async () => (await ticks()).length > before && settled('probe.tick'), 30_000)
  }
  // Both workers have looked at the schedule again since: each looks once a second.
  const last = await marks.add({ wait_seconds: 3 })
  await marks.done(last, 30_000)
  expect((await ticks()).filter(({ n }) => n !== 1)).toEqual([])
  expect((await ticks()).length).toBeGreaterThanOrEqual(5)
})

test('hours missed while no worker was up become one run', async () => {
  const count = async () => (await marks.sql('select from probe.ticks')).length
  await Promise.all(workers.map((worker) => worker.stop()))
  const before = await count()
  await clock.advance(7 * hour)
  workers = await startWorkers()
  await waitFor(async () => (await count()) > before, 30_000)
  const last = await marks.add({ wait_seconds: 3 })
  await marks.done(last, 30_000)
  expect(await count()).toBe(before + 1)
})

test('a job for later does not run before its time, and runs when it has come', async () => {
  const key = await marks.add({ wait_seconds: 3600 })
  await clock.advance(hour - minute)
  const marker = await marks.add()
  await marks.done(marker, 30_000)
  expect(await marks.effects(key)).toEqual([])
  await clock.advance(minute)
  await marks.done(key, 30_000)
})
