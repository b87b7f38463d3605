import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminEnv } from '../identity/admin-verbs.ts'
import { type ActiveHire, HireWorkspace, operator } from './hire-workspace.ts'

const root = mkdtempSync(join(tmpdir(), 'crewhall-periods-'))
const server = useServer('probe', { ...adminEnv, CONVERSATIONS_ROOT: root, HTTP_RATE_LIMIT_PER_MINUTE: '0' })
const day = 86_400_000
const timeout = 120_000
let clock: VirtualClock
let workers: ServerProcess[] = []

const startWorkers = async () => {
  workers = await Promise.all([0, 1].map(() => server.start('worker', clock.env)))
}
const stopWorkers = async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  workers = []
}
beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  await startWorkers()
}, timeout)
afterAll(async () => {
  clock.close()
  rmSync(root, { recursive: true, force: true })
})

const isEnded = (work: HireWorkspace, { hire_id }: ActiveHire) =>
  waitFor(async () => (await work.row(hire_id)).ended_at !== null, 60_000)
/** With the next minute. */
async function removed(work: HireWorkspace, { hire_id }: ActiveHire): Promise<void> {
  await clock.advance(60_000)
  await waitFor(() => !existsSync(join(root, work.directory(hire_id))), 60_000)
}
/** How often each of these happened to packages of the workspace. */
const turnedOff = async ({ at, brand_id }: HireWorkspace) =>
  (
    await at.sql(
      `select 1 from platform.workspace_events where brand_id = $1 and type = 'install.disabled'`,
      [brand_id],
    )
  ).length
/** The hire alone, without the job that was enqueued for it. */
const forgetJob = ({ hire_id }: ActiveHire) =>
  server.sql(`delete from pgboss.job where name = 'hires.end' and data -> 'payload' ->> 'hire_id' = $1`, [
    hire_id,
  ])

test('HIRE-23, SYS-17, HIRE-G14: with no traffic, one of two workers takes the tools away after the period, once, and counts references then', {
  timeout,
}, async () => {
  const work = await HireWorkspace.open(server)
  const hire = await work.hire('reviewer', ['boards', 'memory', 'lessons'], { root })
  const other = await work.hire('docs-writer', ['lessons'])
  expect((await work.cancel(hire.hire_id, 'cancel', operator)).status).toBe(200)
  // Afterwards, and before the end: who needs it then counts, not who needed it when it was canceled.
  await work.cancel(other.hire_id, 'cancel-immediate')
  const again = await work.hire('reviewer', ['boards'])
  await clock.advance(27 * day)
  expect(await work.row(hire.hire_id)).toMatchObject({ status: 'canceled', ended_at: null })
  expect(await work.enabled()).toEqual(['boards', 'lessons', 'memory'])
  await clock.advance(5 * day)
  await isEnded(work, hire)
  expect(await work.row(hire.hire_id)).toMatchObject({ installs_disabled: 2, installs_retained: 1 })
  expect(await work.enabled()).toEqual(['boards'])
  expect([await work.events(hire.hire_id, 'hire.ended'), await turnedOff(work)]).toEqual([1, 2])
  expect((await work.references()).map(({ hire_id }) => hire_id)).toEqual([again.hire_id])
  expect(await work.tools(again)).toContain('boards')
  expect(await work.tools(again)).not.toContain('memory')
  await removed(work, hire)
})

test('SYS-17: what ended while all workers were off is taken away once after their return', {
  timeout,
}, async () => {
  const work = await HireWorkspace.open(server)
  const hires = [
    await work.hire('reviewer', ['boards', 'memory'], { root }),
    await work.hire('docs-writer', ['memory', 'lessons'], { root }),
  ]
  for (const { hire_id } of hires) await work.cancel(hire_id, 'cancel', operator)
  await stopWorkers()
  await clock.advance(40 * day)
  for (const { hire_id } of hires) expect(await work.row(hire_id)).toMatchObject({ ended_at: null })
  expect(await work.enabled()).toEqual(['boards', 'lessons', 'memory'])
  await startWorkers()
  for (const hire of hires) {
    await isEnded(work, hire)
    expect(await work.events(hire.hire_id, 'hire.ended')).toBe(1)
    await removed(work, hire)
  }
  expect([await work.enabled(), await turnedOff(work), await work.references()]).toEqual([[], 3, []])
  const rows = await Promise.all(hires.map(({ hire_id }) => work.row(hire_id)))
  const sum = (field: 'installs_disabled' | 'installs_retained') =>
    rows.reduce((total, row) => total + (row[field] ?? 0), 0)
  expect([sum('installs_disabled'), sum('installs_retained')]).toEqual([3, 1])
})

test('HIRE-23: a hire whose job was lost is found by the minute', { timeout }, async () => {
  const work = await HireWorkspace.open(server)
  const hire = await work.hire('reviewer', ['boards'])
  await work.cancel(hire.hire_id, 'cancel')
  await forgetJob(hire)
  await clock.advance(32 * day)
  await isEnded(work, hire)
  expect([await work.events(hire.hire_id, 'hire.ended'), await work.enabled()]).toEqual([1, []])
})

test('HIRE-G13: an active hire is renewed, by months from its first day and with its token, however long nobody looked', {
  timeout,
}, async () => {
  const work = await HireWorkspace.open(server)
  const hire = await work.hire('reviewer', ['boards'])
  // The last day of a month that has 31, more than a year ago.
  await server.sql(
    `update hires.hires set created_at = first, current_period_end = hires.period_end(first, 1)
     from (select date_trunc('year', platform.now()) - interval '1 year' + interval '30 days 10 hours' as first) x
     where id = $1`,
    [hire.hire_id],
  )
  await server.sql(
    `update identity.tokens set expires_at = platform.now() + interval '40 days'
     where id = (select token_id from hires.hires where id = $1)`,
    [hire.hire_id],
  )
  await clock.advance(day)
  const fits = async () =>
    (
      await server.sql<{ fits: boolean; day: number; last: number; lasts: boolean; periods: number }>(
        `select h.current_period_end > platform.now() and hires.period_end(h.created_at, h.periods - 1) <= platform.now()
           as fits, extract(day from h.current_period_end at time zone 'UTC')::int as day, h.periods,
           extract(day from date_trunc('month', h.current_period_end, 'UTC') + interval '1 month -1 day')::int as last,
           t.expires_at > platform.now() + interval '360 days' as lasts
         from hires.hires h join identity.tokens t on t.id = h.token_id where h.id = $1`,
        [hire.hire_id],
      )
    )[0]
  await waitFor(async () => (await fits())?.fits === true, 60_000)
  const first = await fits()
  expect(first).toMatchObject({ fits: true, lasts: true, day: first?.last })
  expect(await work.events(hire.hire_id, 'hire.renewed')).toBe(1)
  await clock.advance(31 * day)
  await waitFor(async () => (await work.events(hire.hire_id, 'hire.renewed')) === 2, 60_000)
  const second = await fits()
  expect(second).toMatchObject({ fits: true, day: second?.last, periods: (first?.periods ?? 0) + 1 })
  expect(await work.row(hire.hire_id)).toMatchObject({ status: 'active', ended_at: null })
  expect(await work.enabled()).toEqual(['boards'])
})
