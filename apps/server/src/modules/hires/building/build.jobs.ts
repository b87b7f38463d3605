import { buildHire } from '@crewhall/contracts/hires/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'

export const buildJobs = () => [onJob(buildHire, async () => undefined)]
