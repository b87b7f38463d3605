import { sweepPlatformEntries } from '@crewhall/contracts/identity/platform-audit.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { sweepPlatformAudit } from './platform-audit.service.ts'

export const platformAuditJobs = (months: number) => [
  onJob(sweepPlatformEntries, (ctx) => sweepPlatformAudit(ctx, months)),
]
