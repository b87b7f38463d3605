import { carryCycle } from '@crewhall/contracts/boards/cycles.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { carryOn } from './carry-cycle.service.ts'

export const cycleJobs = [
  onJob(carryCycle, (ctx, { brand_id, ...change }, { signal }) =>
    carryOn(ctx.forBrand(brand_id), change, signal),
  ),
]
