import { z } from 'zod'
import { type JobSpec, job } from './job.ts'

export const sweepLedger = job({
  name: 'jobs.sweep-ledger',
  payload: z.object({}),
  cron: '17 3 * * *',
})

/** Every background job of the product. */
export const allJobs: readonly JobSpec[] = [sweepLedger]
