import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import { noOtherJobs, quickToGiveUp, takeOverNow } from '@crewhall/testkit/take-over.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { useMarks } from './job-marks.ts'

const server = useServer('probe', { JOBS_SUPERVISE_SECONDS: '1' })
const marks = useMarks(server)

/**
 * A worker freezes in the middle of a job, for longer than its heartbeat allows. Another one is given the
 * job. Then the first one wakes up and goes on as if nothing had happened.
 */
async function freezeAndWake(kind: 'mark' | 'careless', step: string): Promise<number> {
  await noOtherJobs(server.database.name)
  const frozen = await server.start('worker', { ...quickToGiveUp, TEST_FAULT_POINTS: `${step}:stop@1` })
  const key = await marks.job(kind)
  const claims = `select state, retry_count from pgboss.job where data -> 'payload' ->> 'key' = $1`
  await waitFor(
    async () => (await marks.sql<{ state: string }>(claims, [key]))[0]?.state === 'active',
    30_000,
  )
  await untilFrozen(frozen)
  await takeOverNow(server.database.name)
  const other = await server.start('worker')
  await marks.done(key, 40_000)
  const [claim] = await marks.sql<{ retry_count: number }>(claims, [key])
  expect(claim?.retry_count).toBe(1)
  frozen.child.kill('SIGCONT')
  // It has come to an end with this job when it can be told to stop and ends in order.
  await frozen.stop()
  await other.stop()
  return (await marks.effects(key)).length
}

const timeout = 120_000

test('a worker that froze before its effect and wakes up late changes nothing', { timeout }, async () => {
  expect(await freezeAndWake('mark', 'jobs.run')).toBe(1)
})

test('a worker that froze inside the transaction of its effect and wakes up late changes nothing', {
  timeout,
}, async () => {
  expect(await freezeAndWake('mark', 'jobs.effect')).toBe(1)
})

test('the same freeze without the ledger does the effect twice, so the tests above can see it', {
  timeout,
}, async () => {
  expect(await freezeAndWake('careless', 'probe.careless')).toBe(2)
})
