import { carryLabel } from '@crewhall/contracts/boards/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { carryOn } from './carry-label.service.ts'

export const labelJobs = [
  onJob(carryLabel, (ctx, { brand_id, ...change }, { signal }) =>
    carryOn(ctx.forBrand(brand_id), change, signal),
  ),
]
