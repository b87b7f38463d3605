import { setTimeout } from 'node:timers/promises'
import type { PgBoss } from 'pg-boss'
import { translatePgError } from '#platform/db/pg-errors.ts'
import { runBatch } from '#platform/jobs/batch.ts'
import { watchDeadJobs, watchOldestJob } from '#platform/jobs/dead-jobs.ts'
import type { MountedJob } from '#platform/jobs/job-handler.ts'
import { type Fetched, JobRunner, type WorkerParts } from '#platform/jobs/run-job.ts'
import { Scheduler } from '#platform/jobs/schedule.ts'
import type { Log } from '#platform/log/log.ts'
import { Outage } from '#platform/outage/outage.ts'

export interface Worker {
  /** Returns how many jobs did not finish in time. The engine hands them out again. */
  stop(limitMs: number): Promise<number>
}

/** Takes jobs of every mounted kind until it is stopped, and finishes the ones it has before it ends. */
export async function startWorker(parts: WorkerParts, jobs: readonly MountedJob[]): Promise<Worker> {
  const { boss, log } = parts
  await startEngine(boss, log)
  let running = 0
  const begin = async (job: MountedJob) => {
    const { name, batch_size } = job.spec
    const runner = new JobRunner(parts, job)
    const options = {
      batchSize: batch_size,
      burstWhenBatchFull: true,
      localConcurrency: 2,
      pollingIntervalSeconds: 1,
      notifyPollingIntervalSeconds: 2,
    } as const
    await boss.work(name, options, async (fetched: Fetched[]) => {
      running += fetched.length
      try {
        await runBatch(parts, name, runner, fetched)
      } finally {
        running -= fetched.length
      }
    })
  }
  for (const job of jobs) if (!job.spec.sends_mail) await begin(job)
  const stopping = new AbortController()
  const letters = jobs.filter(({ spec }) => spec.sends_mail)
  if (!(await isHeld(parts))) for (const job of letters) await begin(job)
  else void beginReleased(parts, stopping.signal, letters, begin)
  watchDeadJobs(parts.metrics, parts.ctx.database, log)
  watchOldestJob(parts.metrics, parts.ctx.database)
  const scheduler = new Scheduler(
    parts.ctx.database,
    parts.queue,
    jobs.map(({ spec }) => spec),
    log,
  )
  scheduler.start()
  return {
    async stop(limitMs) {
      stopping.abort()
      await scheduler.stop()
      await boss.stop({ graceful: true, timeout: limitMs })
      return running
    },
  }
}

/** The engine has just begun, so the database is there; if it is gone again, letters wait until it says. */
const isHeld = ({ hold }: WorkerParts): Promise<boolean> => hold.isOn().catch(() => true)

/** Letters stay in their queues until the operator lets them out. */
async function beginReleased(
  { hold, log }: WorkerParts,
  signal: AbortSignal,
  letters: readonly MountedJob[],
  begin: (job: MountedJob) => Promise<void>,
): Promise<void> {
  log.warn(
    { jobs: letters.length },
    'outgoing mail is held since a restore; crewhall-admin release ends that',
  )
  if (!(await hold.released(signal))) return
  for (const job of letters) await begin(job)
  log.info({ jobs: letters.length }, 'outgoing mail is released')
}

/** A worker that comes up before its database waits for it; anything else that is wrong ends it. */
async function startEngine(boss: PgBoss, log: Log): Promise<void> {
  for (;;) {
    try {
      await boss.start()
      return
    } catch (error) {
      if (!(translatePgError(error) instanceof Outage)) throw error
      log.warn({ error }, 'waiting for the database')
      await setTimeout(1000)
    }
  }
}
