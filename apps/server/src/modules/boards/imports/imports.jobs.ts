import { runImport, sweepImports } from '@crewhall/contracts/boards/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { continueImport } from './run-import.service.ts'
import { sweepImports as sweep } from './sweep-imports.service.ts'

export const importJobs = [
  onJob(runImport, (ctx, named, { signal }) => continueImport(ctx, named, signal)),
  onJob(sweepImports, (ctx, _, { signal }) => sweep(ctx, signal)),
]
