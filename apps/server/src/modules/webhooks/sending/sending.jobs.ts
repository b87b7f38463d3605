import { sweepDeliveries, wakeLate } from '@crewhall/contracts/webhooks/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { sweepLog, wakeAllLate } from './upkeep.service.ts'

export const sendingJobs = [
  onJob(wakeLate, (ctx) => wakeAllLate(ctx)),
  onJob(sweepDeliveries, (ctx) => sweepLog(ctx)),
]
