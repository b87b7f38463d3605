import { checkRemotes, runIndex } from '@crewhall/contracts/code-index/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { checkDueRemotes } from './check-remotes.service.ts'
import { type IndexDeps, indexProject } from './index-project.service.ts'
import { restartLostRuns } from './runs.service.ts'
import { dropStaleClones } from './stale-clones.service.ts'

export const runJobs = (deps: IndexDeps, check_minutes: number) => [
  onJob(
    runIndex,
    (ctx, { brand_id, project_id }, { signal }) =>
      indexProject(ctx.forBrand(brand_id), deps, project_id, signal),
    { database: 'code_index' },
  ),
  onJob(checkRemotes, async (ctx, _, { signal }) => {
    await restartLostRuns(ctx, signal)
    await checkDueRemotes(ctx, deps, check_minutes, signal)
    await dropStaleClones(ctx, deps.places, signal)
  }),
]
