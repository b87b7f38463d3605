import { longLadder } from '@crewhall/contracts/job.ts'

/** What one turn may take. Then other sources have theirs, and this one goes on where it stopped. */
export interface TurnLimits {
  readonly steps: number
  readonly messages: number
  readonly bytes: number
}
export const turnLimits: TurnLimits = { steps: 500, messages: 5000, bytes: 32 * 1_048_576 }

export const isSpent = (spent: TurnLimits, limits: TurnLimits): boolean =>
  spent.steps >= limits.steps || spent.messages >= limits.messages || spent.bytes >= limits.bytes

/** CONV-11: a pass that ends late within its pick-up is due again at the next one, and none is due twice in one. */
export const secondsBetweenReads = 300

interface Failing {
  readonly failures: number
  readonly pauses: 'now' | 'later' | 'never'
}
/** Seconds until the next attempt; undefined where only a person can mend it. `failures` counts this one. */
export function waitAfter({ failures, pauses }: Failing): number | undefined {
  if (pauses === 'now') return undefined
  const wait = longLadder[failures - 1]
  return wait === undefined && pauses === 'never' ? longLadder.at(-1) : wait
}

/** How often a turn may end with its worker before the source itself is suspected. */
export const mostLosses = 5
