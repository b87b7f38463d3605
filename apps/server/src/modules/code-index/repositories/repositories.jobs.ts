import { resealCredentials } from '@crewhall/contracts/code-index/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { resealAll } from './reseal.service.ts'

export const repositoryJobs = (box: SecretBox) => [onJob(resealCredentials, (ctx) => resealAll(ctx, box))]
