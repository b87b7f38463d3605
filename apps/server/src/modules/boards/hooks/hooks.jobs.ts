import { followDelivery, resealHooks } from '@crewhall/contracts/boards/hook-jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { follow } from './follow.service.ts'
import { resealAll } from './reseal.service.ts'

export const hookJobs = (box: SecretBox) => [
  onJob(followDelivery, (ctx, followed) => follow(ctx, followed)),
  onJob(resealHooks, (ctx) => resealAll(ctx, box)),
]
