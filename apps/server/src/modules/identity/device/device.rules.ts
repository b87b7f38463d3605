export type DeviceStatus = 'pending' | 'approved' | 'denied' | 'redeemed' | 'expired'

export interface PollFacts {
  readonly status: DeviceStatus
  readonly is_expired: boolean
  /** Polled sooner than told. */
  readonly is_early: boolean
}

export type PollOutcome = 'wait' | 'slow_down' | 'denied' | 'expired' | 'hand_over'

/** RFC 8628, 3.5: `slow_down` is a form of pending. What has been decided is told however soon it is asked for. */
export function nextOfPoll({ status, is_expired, is_early }: PollFacts): PollOutcome {
  if (is_expired || status === 'redeemed' || status === 'expired') return 'expired'
  if (status === 'denied') return 'denied'
  if (status === 'approved') return 'hand_over'
  return is_early ? 'slow_down' : 'wait'
}

const slowerBy = 5
const slowest = 60

export const nextInterval = (seconds: number): number => Math.min(seconds + slowerBy, slowest)
