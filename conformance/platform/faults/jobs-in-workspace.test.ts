import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import { noOtherJobs, quickToGiveUp, takeOverNow } from '@crewhall/testkit/take-over.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { BoardWorkspace } from '../../boards/board-workspace.ts'
import { HookAdmin, hookEnv, useHookWorld } from '../../webhooks/hook-world.ts'
import { useMarks } from './job-marks.ts'

const server = useServer('probe', { ...hookEnv, JOBS_SUPERVISE_SECONDS: '1' })
const marks = useMarks(server)
const world = useHookWorld(server)
const timeout = 120_000

let brand_id: number
beforeAll(async () => {
  const workspace = await BoardWorkspace.open(server)
  brand_id = workspace.owner.brand_id
  // Whoever is told of an event has one delivery for each.
  await new HookAdmin(workspace).open((await world.newReceiver()).url)
})

type Kind = 'brand-mark' | 'careless-brand-mark'
interface Effects {
  readonly rows: number
  readonly jobs: number
  readonly events: number
  readonly deliveries: number
  readonly audit: number
}
const times = (n: number): Effects => ({ rows: n, jobs: n, events: n, deliveries: n, audit: n })

/** How often each part of what the job does in the workspace was done. */
async function effects(key: string): Promise<Effects> {
  const [found] = await world.sql<Effects>(
    `select (select count(*)::int from probe.things where brand_id = $1 and name = $2::text) as rows,
       (select count(*)::int from pgboss.job where name = 'probe.mark' and data -> 'payload' ->> 'key' = $2::text) as jobs,
       (select count(*)::int from webhooks.deliveries where brand_id = $1 and payload like '%' || $2::text || '%') as deliveries,
       (select count(*)::int from platform.workspace_events where brand_id = $1 and subject_id = $2::text) as events,
       (select count(*)::int from platform.audit_entries
        where brand_id = $1 and action = 'probe.marked' and target = 'mark:' || $2::text) as audit`,
    [brand_id, key],
  )
  return found ?? times(Number.NaN)
}

const done = (kind: Kind, key: string) =>
  waitFor(async () => {
    const [job] = await marks.sql<{ state: string; retry_count: number }>(
      `select state, retry_count from pgboss.job where name = $1 and data -> 'payload' ->> 'key' = $2`,
      [`probe.${kind}`, key],
    )
    return job?.state === 'completed' && job
  }, 120_000)

/** A worker dies at the step; what was committed by then is looked at, and another worker is given the job. */
async function killAt(kind: Kind, step: string): Promise<{ before: Effects; after: Effects }> {
  await noOtherJobs(server.database.name)
  const doomed = await server.start('worker', { TEST_FAULT_POINTS: `${step}:kill@1` })
  const key = await marks.job(kind, { brand_id })
  await doomed.ended
  const before = await effects(key)
  await takeOverNow(server.database.name)
  const other = await server.start('worker')
  await done(kind, key)
  await other.stop()
  return { before, after: await effects(key) }
}

/** A worker freezes at the step until another one has done the job, and then goes on as if nothing had happened. */
async function freezeAt(kind: Kind, step: string): Promise<Effects> {
  await noOtherJobs(server.database.name)
  const frozen = await server.start('worker', { ...quickToGiveUp, TEST_FAULT_POINTS: `${step}:stop@1` })
  const key = await marks.job(kind, { brand_id })
  await waitFor(
    async () =>
      (
        await marks.sql(
          `select from pgboss.job where state = 'active' and data -> 'payload' ->> 'key' = $1`,
          [key],
        )
      ).length > 0,
    30_000,
  )
  await untilFrozen(frozen)
  await takeOverNow(server.database.name)
  const other = await server.start('worker')
  expect((await done(kind, key)).retry_count).toBe(1)
  frozen.child.kill('SIGCONT')
  // It has come to an end with this job when it can be told to stop and ends in order.
  await frozen.stop()
  await other.stop()
  return effects(key)
}

test('a kill before the commit leaves neither rows, jobs, events nor audit of a workspace, and the next worker does all once', {
  timeout,
}, async () => {
  expect(await killAt('brand-mark', 'jobs.effect')).toEqual({ before: times(0), after: times(1) })
})

test('a kill after the commit leaves everything done, and the next worker does none of it again', {
  timeout,
}, async () => {
  expect(await killAt('brand-mark', 'jobs.done')).toEqual({ before: times(1), after: times(1) })
})

test.each(['jobs.run', 'jobs.effect'])(
  'a worker that froze at %s and wakes up late changes nothing in the workspace',
  { timeout },
  async (step) => {
    expect(await freezeAt('brand-mark', step)).toEqual(times(1))
  },
)

test('without onceIn the same kill and the same freeze do everything twice, so the tests above can see it', {
  timeout,
}, async () => {
  expect(await killAt('careless-brand-mark', 'probe.marked')).toEqual({ before: times(1), after: times(2) })
  expect(await freezeAt('careless-brand-mark', 'probe.careless')).toEqual(times(2))
})
