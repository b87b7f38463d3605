export interface Rollout {
  /** Machines that were requested together. */
  readonly total: number
  readonly done: number
  readonly failed: number
  /** Those that were told to begin and have not ended. */
  readonly active: number
}

const canaries = 5
const batchShare = 0.1
const failureShare = 0.02

/**
 * Whether the next machine that reports may begin. Whoever reports first is a canary, so machines that are away hold nobody
 * up. When the canaries are well, a tenth at a time follows; one failure in fifty ends it for all that have not begun.
 */
export function nextOf({ total, done, failed, active }: Rollout): 'begin' | 'wait' | 'stop' {
  if (failed > 0 && failed >= total * failureShare) return 'stop'
  const first = Math.min(canaries, total)
  if (done + failed < first) return done + failed + active < first ? 'begin' : 'wait'
  return active < Math.ceil(total * batchShare) ? 'begin' : 'wait'
}

export const stoppedError = ({ total, failed }: Rollout): string =>
  `Stopped, because the update has failed on ${failed} of ${total} machines`
