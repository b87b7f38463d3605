import { erase, startErasures } from '@crewhall/contracts/identity/erasures.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { beginDue, type RunDeps, runErasure } from './run-erasure.service.ts'

export const erasureJobs = (deps: RunDeps) => [
  onJob(startErasures, (ctx) => beginDue(ctx)),
  onJob(erase, (ctx, order, { signal }) => runErasure(ctx, deps, order, signal)),
]
