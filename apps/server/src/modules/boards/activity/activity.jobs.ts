import { rollActivity } from '@crewhall/contracts/boards/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { rollPartitions } from '#platform/jobs/roll-partitions.ts'
import { keepMonths } from './activity.service.ts'

export const activityJobs = (keep: number) => [
  onJob(rollActivity, (ctx, _, { signal }) => rollPartitions(signal, () => keepMonths(ctx, keep))),
]
