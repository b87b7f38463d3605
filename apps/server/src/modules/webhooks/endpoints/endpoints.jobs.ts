import { resealSecrets } from '@crewhall/contracts/webhooks/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { resealAll } from './reseal.service.ts'

export const endpointJobs = (box: SecretBox) => [onJob(resealSecrets, (ctx) => resealAll(ctx, box))]
