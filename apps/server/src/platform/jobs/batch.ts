import type { JobResult, JobWithMetadata, PgBoss } from 'pg-boss'
import { type CtxParts, type SystemCtx, systemCtx } from '#platform/ctx/ctx.ts'
import type { JobRun, MountedJob } from '#platform/jobs/job-handler.ts'
import { claimEffect, dropFences, takeFences } from '#platform/jobs/ledger.ts'
import { type Envelope, engineDb, type JobQueue } from '#platform/jobs/queue.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { spanned, type Tracing } from '#platform/trace/trace.ts'

export interface BatchParts {
  readonly boss: PgBoss
  readonly queue: JobQueue
  readonly ctx: CtxParts
  readonly log: Log
  readonly metrics: Metrics
  readonly tracing: Tracing
}

type Fetched = JobWithMetadata<Envelope>

/** Jobs of one batch that run at the same time; below the size of the pool, so that none waits for it. */
const concurrency = 8

/** Runs a batch the engine handed out, and tells it the fate of each job. */
export async function runBatch(parts: BatchParts, job: MountedJob, fetched: Fetched[]): Promise<JobResult[]> {
  const log = parts.log.child({ job: job.spec.name })
  const ctx = systemCtx(parts.ctx, log, { kind: 'system', name: job.spec.name })
  const fences = await takeBatchFences(ctx, fetched)
  const results: JobResult[] = []
  const rest = fetched.values()
  const lane = async () => {
    for (const one of rest) results.push(await runOne(parts, job, ctx, one, fences.get(one.data.origin) ?? 0))
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, fetched.length) }, lane))
  await dropDone(ctx, fetched, results, fences)
  return results
}

async function takeBatchFences(ctx: SystemCtx, fetched: readonly Fetched[]): Promise<Map<string, number>> {
  const rows = await ctx.db.all(takeFences, { job_ids: fetched.map(({ data }) => data.origin) })
  return new Map(rows.map(({ job_id, fence }) => [job_id, fence]))
}

async function runOne(
  parts: BatchParts,
  job: MountedJob,
  ctx: SystemCtx,
  fetched: Fetched,
  fence: number,
): Promise<JobResult> {
  const { spec } = job
  const { origin, attempt, payload } = fetched.data
  const started = performance.now()
  const waitSeconds = (fetched.startedOn.getTime() - fetched.startAfter.getTime()) / 1000
  parts.metrics.job_wait_seconds.observe({ job: spec.name }, Math.max(0, waitSeconds))
  const finish = (outcome: string) =>
    parts.metrics.job_seconds.observe({ job: spec.name, outcome }, (performance.now() - started) / 1000)
  const run: JobRun = {
    attempt,
    last_attempt: attempt > spec.retry_seconds.length,
    fence,
    once: (key, work) =>
      ctx.tx(async (tx) => {
        const claimed = await tx.db.first(claimEffect, { key, job_id: origin, fence })
        if (!claimed) return false
        await tx.step('jobs.effect')
        await work(tx)
        return true
      }),
  }
  try {
    await ctx.step('jobs.run')
    await spanned(parts.tracing, spec.name, () => job.run(ctx, spec.payload.parse(payload), run))
    finish('done')
    await ctx.step('jobs.done')
    return { id: fetched.id, status: 'completed' }
  } catch (error) {
    ctx.log.warn({ error, attempt }, 'job failed')
    finish(run.last_attempt ? 'exhausted' : 'failed')
    return await retryLater(parts, job, fetched, error)
  }
}

/** The ladder of the contract. The next attempt and the end of this one are a single commit. */
async function retryLater(
  parts: BatchParts,
  { spec }: MountedJob,
  fetched: Fetched,
  error: unknown,
): Promise<JobResult> {
  const { id, data } = fetched
  const output = { message: error instanceof Error ? error.message : String(error) }
  const wait = spec.retry_seconds[data.attempt - 1]
  if (wait === undefined) return { id, status: 'deadletter', output }
  await parts.ctx.database.transaction(undefined, async (tx) => {
    await parts.boss.complete(spec.name, id, output, { db: engineDb(tx) })
    await parts.queue.send(tx, spec.name, { ...data, attempt: data.attempt + 1 }, wait)
  })
  return { id, status: 'completed', output }
}

async function dropDone(
  ctx: SystemCtx,
  fetched: readonly Fetched[],
  results: readonly JobResult[],
  fences: Map<string, number>,
): Promise<void> {
  const done = new Set(results.filter(({ status }) => status === 'completed').map(({ id }) => id))
  const origins = fetched.filter(({ id }) => done.has(id)).map(({ data }) => data.origin)
  await ctx.db.run(dropFences, { job_ids: origins, fences: origins.map((origin) => fences.get(origin) ?? 0) })
}
