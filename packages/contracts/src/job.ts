import type { z } from 'zod'

export interface JobSpec<Name extends string = string, Payload extends z.ZodType = z.ZodType> {
  /** `<module>.<verb-noun>`, for example `fleet.poll-health`. */
  readonly name: Name
  readonly payload: Payload
  /** Waits before the second, third … attempt. Its length fixes the number of attempts: waits + 1. */
  readonly retry_seconds: readonly number[]
  /** Wake a worker at once. Off for busy queues: a notification in every commit halves the write rate. */
  readonly notify: boolean
  readonly batch_size: number
  /** Runs one attempt may take before it counts as hung. */
  readonly limit_seconds: number
  /** When set, the job also runs by the clock (UTC, five fields), once across all processes. */
  readonly cron?: string
  /** Stays in its queue while mail is held after a restore. */
  readonly sends_mail?: true
}

type Optional = 'retry_seconds' | 'notify' | 'batch_size' | 'limit_seconds'

/** The ladder of the interface: five attempts, four waits of 10 min, 30 min, 2 h and 8 h. */
export const longLadder: readonly number[] = [600, 1800, 7200, 28_800]

export function job<Name extends string, Payload extends z.ZodType>(
  spec: Omit<JobSpec<Name, Payload>, Optional> & Partial<Pick<JobSpec, Optional>>,
): JobSpec<Name, Payload> {
  return { retry_seconds: [5, 30, 300], notify: true, batch_size: 50, limit_seconds: 300, ...spec }
}
