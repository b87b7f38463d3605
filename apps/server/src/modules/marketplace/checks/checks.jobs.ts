import { checkInstalls, resealPackageCredentials } from '@crewhall/contracts/marketplace/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import type { InstallDeps } from '../installs/listing.service.ts'
import { resealAll } from '../installs/reseal.service.ts'
import { checkDueInstalls } from './checks.service.ts'

export const installJobs = (deps: InstallDeps) => [
  onJob(checkInstalls, (ctx, _, { signal }) => checkDueInstalls(ctx, deps, signal)),
  onJob(resealPackageCredentials, (ctx) => resealAll(ctx, deps.secret_box)),
]
