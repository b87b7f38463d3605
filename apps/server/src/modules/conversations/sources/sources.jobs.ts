import { resealConfigs } from '@crewhall/contracts/conversations/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { resealAll } from './reseal.service.ts'

export const sourceJobs = (box: SecretBox) => [onJob(resealConfigs, (ctx) => resealAll(ctx, box))]
