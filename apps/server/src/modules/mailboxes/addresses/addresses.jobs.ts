import { sweepNames } from '@crewhall/contracts/mailboxes/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { sweepFreeNames } from './addresses.service.ts'

export const addressJobs = [onJob(sweepNames, (ctx) => sweepFreeNames(ctx))]
