import { buildHire, findLostBuilds } from '@crewhall/contracts/hires/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { type BuildDeps, build } from './build.service.ts'
import { restartLost } from './lost-builds.service.ts'

export const buildJobs = (deps: BuildDeps) => [
  onJob(buildHire, (ctx, payload, run) => build(ctx, deps, payload, run)),
  onJob(findLostBuilds, (ctx) => restartLost(ctx)),
]
