import { endHire, removeEnded, sweepPeriods } from '@crewhall/contracts/hires/jobs.ts'
import { type MountedJob, onJob } from '#platform/jobs/job-handler.ts'
import { endIfDue } from './end.service.ts'
import * as periods from './periods.service.ts'
import type { Removals } from './removals.service.ts'

export const endingJobs = (removals: Removals): MountedJob[] => [
  onJob(endHire, async (ctx, { brand_id, hire_id }) => {
    await endIfDue(ctx.forBrand(brand_id), hire_id)
  }),
  onJob(sweepPeriods, (ctx, _, { signal }) => periods.sweepPeriods(ctx, signal)),
  onJob(removeEnded, (ctx, _, { signal }) => removals.goOn(ctx, signal)),
]
