import { carryColumn } from '@crewhall/contracts/boards/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { carryOn } from './carry-cards.service.ts'

export const columnJobs = [
  onJob(carryColumn, (ctx, { brand_id, ...change }, { signal }) =>
    carryOn(ctx.forBrand(brand_id), change, signal),
  ),
]
