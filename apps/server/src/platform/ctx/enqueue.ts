import type { JobSpec } from '@crewhall/contracts/job.ts'
import type { z } from 'zod'

export interface EnqueueOptions {
  /** Not before this time. */
  readonly run_at?: Date
  /** Of those that are due, higher ones run first; 0 unless told. */
  readonly priority?: number
}

export type Enqueue = <P extends z.ZodType>(
  job: JobSpec<string, P>,
  payload: z.input<P>,
  options?: EnqueueOptions,
) => Promise<void>
