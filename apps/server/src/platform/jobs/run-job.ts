import type { Job, PgBoss } from 'pg-boss'
import {
  type BrandTx,
  type CtxParts,
  type OutsideSystemCtx,
  type SystemTx,
  systemCtx,
} from '#platform/ctx/ctx.ts'
import { partsOn } from '#platform/ctx/handles.ts'
import { ClaimLost, type JobRun, type MountedJob } from '#platform/jobs/job-handler.ts'
import { claimEffect, endRetries, lockClaim } from '#platform/jobs/ledger.ts'
import { type Envelope, engineDb, type JobQueue } from '#platform/jobs/queue.ts'
import { RunLimit } from '#platform/jobs/run-limit.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { Hold } from '#platform/timeline/hold.ts'
import { spanned, type Tracing } from '#platform/trace/trace.ts'

export interface WorkerParts {
  readonly boss: PgBoss
  readonly queue: JobQueue
  readonly ctx: CtxParts
  readonly log: Log
  readonly metrics: Metrics
  readonly tracing: Tracing
  readonly hold: Hold
}

export type Fetched = Job<Envelope>

/**
 * `done`: the engine completes it with the batch. `settled`: its end is written, or it is another worker's;
 * the engine leaves it alone. `open`: its end could not be written, so it has to run again.
 */
export type Outcome = 'done' | 'settled' | 'open'

/** Above every crash limit, so that each attempt's numbers lie above those of the attempt before. */
const claimsPerAttempt = 1000

/** What the runs of one job kind share. */
export class JobRunner {
  readonly #parts: WorkerParts
  readonly #job: MountedJob
  readonly #ctx: OutsideSystemCtx

  constructor(parts: WorkerParts, job: MountedJob) {
    this.#parts = parts
    this.#job = job
    const { name } = job.spec
    const on = job.database ? partsOn(parts.ctx, job.database) : parts.ctx
    this.#ctx = systemCtx(on, parts.log.child({ job: name }), { kind: 'system', name })
  }

  /** Runs one job and says what became of it. Never throws: its neighbours in the batch must not suffer. */
  async run(fetched: Fetched): Promise<Outcome> {
    const { metrics, tracing } = this.#parts
    const { spec } = this.#job
    const { attempt, payload, due_ms } = fetched.data
    const started = performance.now()
    const waitMs = this.#ctx.now().getTime() - due_ms
    metrics.job_wait_seconds.observe({ job: spec.name }, Math.max(0, waitMs) / 1000)
    const finish = (outcome: string) =>
      metrics.job_seconds.observe({ job: spec.name, outcome }, (performance.now() - started) / 1000)
    const limit = new RunLimit(spec.limit_seconds)
    try {
      await this.#ctx.faultPoint('jobs.run')
      const run = this.#runOf(fetched, limit)
      const work = () => this.#job.run(this.#ctx, spec.payload.parse(payload), run)
      await limit.over(spanned(tracing, spec.name, work))
      finish('done')
      await this.#ctx.faultPoint('jobs.done')
      return 'done'
    } catch (error) {
      if (error instanceof ClaimLost) {
        finish('lost')
        this.#ctx.log.warn({ attempt }, 'job taken over by another worker')
        return 'settled'
      }
      return this.#failed(fetched, error, finish)
    }
  }

  #runOf({ id, retryCount, data, signal }: Fetched, limit: RunLimit): JobRun {
    const { name, retry_seconds } = this.#job.spec
    const { attempt, origin } = data
    const fence = attempt * claimsPerAttempt + retryCount
    const claim = { job: name, id, retry_count: retryCount, origin, fence }
    const claimed = async <Ctx extends SystemTx | BrandTx>(
      tx: Ctx,
      key: string,
      work: (tx: Ctx) => Promise<void>,
    ): Promise<boolean> => {
      const found = await tx.db.first(claimEffect, { ...claim, key })
      if (!found?.mine) throw new ClaimLost(name)
      if (!found.done_now) return false
      await tx.faultPoint('jobs.effect')
      await work(tx)
      return true
    }
    return {
      attempt,
      last_attempt: attempt > retry_seconds.length,
      fence,
      get signal() {
        return AbortSignal.any([signal, limit.signal])
      },
      once: (key, work) => this.#ctx.tx((tx) => claimed(tx, key, work)),
      onceIn: (brand_id, key, work) =>
        this.#ctx.forBrand(brand_id).tx((tx) => claimed(tx, `brand:${brand_id}:${key}`, work)),
    }
  }

  async #failed(fetched: Fetched, error: unknown, finish: (outcome: string) => void): Promise<Outcome> {
    const { attempt, origin } = fetched.data
    const wait = this.#job.spec.retry_seconds[attempt - 1]
    const facts = { error, attempt, origin }
    if (wait === undefined) this.#ctx.log.error(facts, 'job gave up')
    else this.#ctx.log.warn(facts, 'job failed')
    finish(wait === undefined ? 'exhausted' : 'failed')
    // As a request counts it. What was refused for good, such as a letter to nobody, says nothing about the part.
    if (error instanceof Outage && !error.is_final)
      this.#parts.metrics.outages.inc({ part: error.part, reason: error.reason })
    try {
      const output = { message: error instanceof Error ? error.message : String(error) }
      await (wait === undefined ? this.#giveUp(fetched, output) : this.#retryLater(fetched, wait, output))
      return 'settled'
    } catch (cause) {
      this.#ctx.log.warn({ error: cause }, 'could not record the end of an attempt; it will run again')
      return 'open'
    }
  }

  /** The ladder of the contract. The next attempt and the end of this one are a single commit. */
  async #retryLater({ id, retryCount, data }: Fetched, wait: number, output: object): Promise<void> {
    const { boss, queue, ctx } = this.#parts
    const { name } = this.#job.spec
    await ctx.database.transaction(undefined, async (tx) => {
      // Otherwise another worker runs this attempt by now and will write the next one.
      if (!(await tx.first(lockClaim, { job: name, id, retry_count: retryCount }))) return
      await boss.complete(name, { id, retryCount }, output, { db: engineDb(tx) })
      await queue.send(tx, ctx.clock.now(), name, { ...data, attempt: data.attempt + 1 }, wait)
    })
  }

  /** The engine puts a failed job without retries left into the dead queue, in the same statement. */
  async #giveUp({ id, retryCount }: Fetched, output: object): Promise<void> {
    const { boss, ctx } = this.#parts
    const { name } = this.#job.spec
    await ctx.database.transaction(undefined, async (tx) => {
      if (!(await tx.first(endRetries, { job: name, id, retry_count: retryCount }))) return
      await boss.fail(name, { id, retryCount }, output, { db: engineDb(tx) })
    })
  }
}
