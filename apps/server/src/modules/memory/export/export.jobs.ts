import { exportWorkspace, startExports } from '@crewhall/contracts/memory/memory-file.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import type { SharedFiles } from '#platform/shared-files/shared-files.ts'
import { enqueueExports, exportAgents } from './export.service.ts'

const database = 'memory'

export const exportJobs = (files: SharedFiles) => [
  onJob(startExports, (ctx, _, { signal }) => enqueueExports(ctx, files, signal), { database }),
  onJob(
    exportWorkspace,
    (ctx, { brand_id }, { signal }) => exportAgents(ctx.forBrand(brand_id), files, signal),
    {
      database,
    },
  ),
]
