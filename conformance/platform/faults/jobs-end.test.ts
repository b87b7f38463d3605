import { freePort } from '@crewhall/testkit/free-port.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { useMarks } from './job-marks.ts'

const server = useServer('probe', { JOBS_SUPERVISE_SECONDS: '1' })
const marks = useMarks(server)
const jobOf = `select state, retry_count from pgboss.job where name = 'probe.mark' and data -> 'payload' ->> 'key' = $1`
const isActive = async (key: string) =>
  (await marks.sql<{ state: string }>(jobOf, [key]))[0]?.state === 'active'

test('a worker that is told to stop finishes the jobs it has and ends with 0', async () => {
  const worker = await server.start('worker')
  const key = await marks.job('mark', { nap_ms: 2000 })
  await waitFor(() => isActive(key), 30_000)
  expect(await worker.stop()).toBe(0)
  expect(await marks.effects(key)).toHaveLength(1)
  expect(await marks.sql(jobOf, [key])).toMatchObject([{ state: 'completed', retry_count: 0 }])
})

test('a worker whose jobs take longer than it may wait hands them back at once', async () => {
  const worker = await server.start('worker', { HTTP_DRAIN_MS: '1000' })
  const key = await marks.job('mark', { nap_ms: 4000 })
  await waitFor(() => isActive(key), 30_000)
  expect(await worker.stop()).toBe(1)
  expect(await marks.sql(jobOf, [key])).toMatchObject([{ state: 'retry' }])
  const other = await server.start('worker')
  await marks.done(key, 20_000)
  await other.stop()
  expect(await marks.effects(key)).toHaveLength(1)
})

test('the crash limit ends a poison pill, innocent jobs beside it are done, and a metric tells of the dead one', async () => {
  const pill = await marks.job('mark', { kill: true })
  const innocent = await Promise.all(Array.from({ length: 20 }, () => marks.job('mark')))
  const dead = async () =>
    (
      await marks.sql(
        `select from pgboss.job where name = 'jobs.dead' and data -> 'payload' ->> 'key' = $1`,
        [pill],
      )
    ).length === 1
  const done = async () =>
    (await marks.sql('select from probe.effects where key = any($1::uuid[])', [innocent])).length
  const completed = async () =>
    (
      await marks.sql(
        `select from pgboss.job where state = 'completed' and data -> 'payload' ->> 'key' = any($1)`,
        [innocent],
      )
    ).length
  // The limit is twenty crashes with pauses up to a minute; for the pill it is five, and nobody waits here.
  await marks.sql(`update pgboss.job set retry_limit = 5 where data -> 'payload' ->> 'key' = $1`, [pill])
  const retryNow = () => marks.sql(`update pgboss.job set start_after = now() where state = 'retry'`)
  const hasten = async () => {
    await marks.sql(`update pgboss.job set heartbeat_on = now() - interval '1 hour' where state = 'active'`)
    await retryNow()
  }
  const port = await freePort()
  let deaths = 0
  let early = 0
  for (; !(await dead()); deaths += 1) {
    // A worker that the pill ends before it could say that it is ready counts like any other death.
    const worker = await server.start('worker', { METRICS_PORT: String(port) }).catch(() => undefined)
    let ended = worker === undefined
    void worker?.ended.then(() => {
      ended = true
    })
    await waitFor(async () => {
      if (ended) return true
      await retryNow()
      return dead()
    }, 120_000)
    if (worker && !ended) {
      // Those that went down with a worker wait up to a minute for their next attempt.
      await waitFor(async () => {
        await retryNow()
        return (await done()) === innocent.length
      }, 60_000)
      const metrics = await (await fetch(`http://127.0.0.1:${port + 1}/metrics`)).text()
      expect(metrics).toContain('crewhall_jobs_dead{job="probe.mark"} 1')
      await worker.stop()
      break
    }
    early = await completed()
    await hasten()
  }
  console.log(`the pill ended ${deaths} workers; ${early} of 20 innocent jobs were done before it was dead`)
  // Without care for suspects each crash would take all of them along.
  expect(early).toBeGreaterThan(0)
  expect(deaths).toBe(6)
  expect(await done()).toBe(innocent.length)
})
