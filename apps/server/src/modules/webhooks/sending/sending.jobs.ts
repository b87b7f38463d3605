import { sweepDeliveries, wakeLate, wakeWebhook } from '@crewhall/contracts/webhooks/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { type SendingDeps, wakeSender } from './sending.service.ts'
import { sweepLog, wakeAllLate } from './upkeep.service.ts'

export const sendingJobs = (deps: SendingDeps) => [
  onJob(wakeWebhook, (ctx, payload) => wakeSender(ctx, deps, payload)),
  onJob(wakeLate, (ctx) => wakeAllLate(ctx)),
  onJob(sweepDeliveries, (ctx) => sweepLog(ctx)),
]
