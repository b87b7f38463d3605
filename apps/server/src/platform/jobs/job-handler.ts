import type { DatabaseHandle } from '@crewhall/contracts/database-handles.ts'
import type { JobSpec } from '@crewhall/contracts/job.ts'
import type { z } from 'zod'
import type { BrandTx, OutsideSystemCtx, SystemTx } from '#platform/ctx/ctx.ts'

export interface JobRun {
  /** 1 for the first attempt. A run that was cut off by a crash is the same attempt again. */
  readonly attempt: number
  readonly last_attempt: boolean
  /** Higher than that of every earlier run of this job; hand it to whatever must refuse a late worker. */
  readonly fence: number
  /** Aborted when another worker has the job, when its time is up, and when the process must end. */
  readonly signal: AbortSignal
  /**
   * Runs `work` once, however often and wherever the job runs. The key and the writes commit together. Returns whether
   * this run did it; throws `ClaimLost` if the job now belongs to another worker.
   */
  once(key: string, work: (ctx: SystemTx) => Promise<void>): Promise<boolean>
  /**
   * The same inside a workspace: the work sees its rows only, and can emit, audit and enqueue. The key belongs to
   * that workspace, so two of them may use the same one.
   */
  onceIn(brand_id: number, key: string, work: (ctx: BrandTx) => Promise<void>): Promise<boolean>
}

/** Another worker was given this job, because this one was silent for too long. Let it pass through. */
export class ClaimLost extends Error {
  constructor(job: string) {
    super(`${job}: another worker has this job now`)
    this.name = 'ClaimLost'
  }
}

export interface MountedJob {
  readonly spec: JobSpec
  /** The handle that the job and its effects run on, with their keys; its attempts are kept on the main one. */
  readonly database?: DatabaseHandle
  readonly run: (ctx: OutsideSystemCtx, payload: unknown, run: JobRun) => Promise<void>
}

export function onJob<P extends z.ZodType>(
  spec: JobSpec<string, P>,
  run: (ctx: OutsideSystemCtx, payload: z.output<P>, run: JobRun) => Promise<void>,
  options: Pick<MountedJob, 'database'> = {},
): MountedJob {
  return { spec, run: run as MountedJob['run'], ...options }
}
