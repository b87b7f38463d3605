import { sweepDeliveries, wakeLate } from '@crewhall/contracts/webhooks/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { rollPartitions } from '#platform/jobs/roll-partitions.ts'
import { giveUpExpired, keepDays, wakeAllLate } from './upkeep.service.ts'

export const sendingJobs = (keepDaysOfLog: number) => [
  onJob(wakeLate, (ctx) => wakeAllLate(ctx)),
  onJob(sweepDeliveries, async (ctx, _, { signal }) => {
    await giveUpExpired(ctx)
    await rollPartitions(signal, () => keepDays(ctx, keepDaysOfLog))
  }),
]
