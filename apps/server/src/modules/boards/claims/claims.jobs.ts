import { endLeases } from '@crewhall/contracts/boards/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { endDueLeases } from '../leases/leases.service.ts'

export const claimJobs = [onJob(endLeases, (ctx, _, { signal }) => endDueLeases(ctx, signal))]
