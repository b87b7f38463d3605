import type { DeskState } from '@crewhall/contracts/fleet/desk.ts'
import type { MissCause } from '@crewhall/contracts/fleet/health.ts'

/** What one health check has found. */
export type Outcome =
  | { readonly kind: 'answered'; readonly version: string; readonly digest: string | null }
  /** Another desk is there. */
  | { readonly kind: 'misrouted' }
  | { readonly kind: 'missed'; readonly cause: MissCause }

export function causeOf(outcome: Outcome): MissCause | null {
  if (outcome.kind === 'answered') return null
  return outcome.kind === 'misrouted' ? 'wrong_desk' : outcome.cause
}

export interface Watched {
  readonly state: DeskState
  /** Consecutive ones. */
  readonly misses: number
  /** Whether it was resumed after it had registered. */
  readonly is_resumed: boolean
  /** From the last check that was answered; null until the desk was heard. */
  readonly version: string | null
  readonly digest: string | null
}

export interface NextHealth {
  readonly state: DeskState
  readonly misses: number
  readonly version: string | null
  readonly digest: string | null
  /** ENV-20: the first report is no change. */
  readonly is_upgraded: boolean
}

/** DESK-41. */
const missesAllowed = 2

/**
 * A desk after a check. An answer makes it ready from whatever it was (DESK-39, DESK-G13) and sets the count back. The
 * third miss in a row makes it unreachable if it was ready or has been resumed (DESK-41, DESK-42); one that has never
 * answered since it registered goes on waiting (DESK-G12). Of a suspended desk no check counts (DESK-44).
 */
export function nextHealth(desk: Watched, outcome: Outcome): NextHealth {
  const { state, version, digest } = desk
  if (state === 'suspended') return { ...same(desk), is_upgraded: false }
  if (outcome.kind === 'answered') {
    const is_upgraded = version !== null && (version !== outcome.version || digest !== outcome.digest)
    return { state: 'ready', misses: 0, version: outcome.version, digest: outcome.digest, is_upgraded }
  }
  const misses = desk.misses + 1
  const isLost = misses > missesAllowed && (state === 'ready' || desk.is_resumed)
  return { ...same(desk), state: isLost ? 'unreachable' : state, misses, is_upgraded: false }
}

const same = ({ state, misses, version, digest }: Watched) => ({ state, misses, version, digest })

/**
 * Whether so many checks of one window were missed that the fault is rather ours: then no miss of it counts. A handful may
 * always be missed, because a small fleet can lose all of its desks.
 */
export const isMassMiss = ({ checked, missed }: { checked: number; missed: number }): boolean =>
  missed > Math.max(5, checked * 0.2)

/** What is told of a change of the state. */
export type Notice = 'change' | 'flapping' | 'nothing'

const turnsOfFlapping = 4

/**
 * Four changes in ten minutes are one notice, and later ones are not told until the state has stayed the same for as
 * long. The state itself follows every change.
 */
export function noticeOf({
  recent_turns,
  is_flapping,
}: {
  recent_turns: number
  is_flapping: boolean
}): Notice {
  if (is_flapping) return 'nothing'
  return recent_turns >= turnsOfFlapping ? 'flapping' : 'change'
}
