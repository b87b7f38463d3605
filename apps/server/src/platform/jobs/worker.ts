import type { JobWithMetadata } from 'pg-boss'
import { type BatchParts, runBatch } from '#platform/jobs/batch.ts'
import type { MountedJob } from '#platform/jobs/job-handler.ts'
import type { Envelope } from '#platform/jobs/queue.ts'
import { Scheduler } from '#platform/jobs/schedule.ts'

export interface Worker {
  stop(limitMs: number): Promise<void>
}

/** Takes jobs of every mounted kind until it is stopped, and finishes the ones it has before it ends. */
export async function startWorker(parts: BatchParts, jobs: readonly MountedJob[]): Promise<Worker> {
  const { boss } = parts
  await boss.start()
  for (const job of jobs) {
    const options = {
      batchSize: job.spec.batch_size,
      burstWhenBatchFull: true,
      localConcurrency: 2,
      pollingIntervalSeconds: 1,
      notifyPollingIntervalSeconds: 2,
      includeMetadata: true,
      perJobResults: true,
    } as const
    await boss.work(job.spec.name, options, (fetched: JobWithMetadata<Envelope>[]) =>
      runBatch(parts, job, fetched),
    )
  }
  const scheduler = new Scheduler(
    parts.ctx.database,
    parts.queue,
    jobs.map(({ spec }) => spec),
    parts.log,
  )
  scheduler.start()
  return {
    async stop(limitMs) {
      await scheduler.stop()
      await boss.stop({ graceful: true, timeout: limitMs })
    },
  }
}
