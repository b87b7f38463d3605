import type { DeskState, EnvironmentStatus } from '@crewhall/contracts/fleet/desk.ts'

/** ENV-07: one state, two vocabularies. */
const statusOf = {
  provisioning: 'provisioned',
  ready: 'active',
  unreachable: 'unreachable',
  suspended: 'suspended',
} as const satisfies Record<DeskState, EnvironmentStatus>

export const environmentStatusOf = (state: DeskState): EnvironmentStatus => statusOf[state]

/** What a caller may set; the other two are the poller's (ENV-G1). */
export type SettableStatus = 'provisioned' | 'suspended'

/**
 * The state after a caller has set a status. A desk that is not suspended stays what it is when it is resumed
 * (ENV-G2), and so does one that is suspended twice (ENV-G3).
 */
export function stateAfter(state: DeskState, status: SettableStatus | undefined): DeskState {
  if (status === 'suspended') return 'suspended'
  return status === 'provisioned' && state === 'suspended' ? 'provisioning' : state
}

const dormantAfterMs = 14 * 24 * 60 * 60 * 1000

/** Whoever was heard for the last time before this is silent for strictly more than 14 days. */
export const silentBefore = (now: Date): Date => new Date(now.getTime() - dormantAfterMs)

export interface SilenceFacts {
  readonly state: DeskState
  readonly created_at: string
  /** Null until the desk was heard. */
  readonly last_seen_at: string | null
  readonly resumed_at: string | null
}

/**
 * DESK-45: counted from when it was last heard, ordered (DESK-G16) or resumed (DESK-50), whichever came last. A
 * suspended desk is never dormant.
 */
export function isDormant({ state, created_at, last_seen_at, resumed_at }: SilenceFacts, now: Date): boolean {
  if (state === 'suspended') return false
  const times = [created_at, last_seen_at, resumed_at].filter((time) => time !== null)
  return Math.max(...times.map((time) => Date.parse(time))) < silentBefore(now).getTime()
}
