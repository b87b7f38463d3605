import { forgetDesk as contract } from '@crewhall/contracts/hires/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { forgetDesk } from './credentials.service.ts'

export const credentialJobs = [
  onJob(contract, (ctx, { brand_id, desk_id }) => forgetDesk(ctx.forBrand(brand_id), desk_id)),
]
