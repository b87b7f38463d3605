import type { JobSpec } from '@crewhall/contracts/job.ts'
import type { z } from 'zod'
import type { SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'

export interface JobRun {
  /** 1 for the first attempt. A run that was cut off by a crash is the same attempt again. */
  readonly attempt: number
  readonly last_attempt: boolean
  /** Higher than that of every earlier run of this job; hand it to whatever must refuse a late worker. */
  readonly fence: bigint | number
  /**
   * Does `work` once, however often the job runs and whoever else runs it. The key and the writes commit
   * together. Answers whether this run did it.
   */
  once(key: string, work: (ctx: SystemTx) => Promise<void>): Promise<boolean>
}

export interface MountedJob {
  readonly spec: JobSpec
  readonly run: (ctx: SystemCtx, payload: unknown, run: JobRun) => Promise<void>
}

export function onJob<P extends z.ZodType>(
  spec: JobSpec<string, P>,
  run: (ctx: SystemCtx, payload: z.output<P>, run: JobRun) => Promise<void>,
): MountedJob {
  return { spec, run: run as MountedJob['run'] }
}
