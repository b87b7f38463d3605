import type { Importance } from '@crewhall/contracts/memory/fields.ts'

/** What confidence decays from. The functions of the migration have the same numbers; a test compares them. */
export interface Anchored {
  readonly confidence: number
  readonly anchored_at: string
  readonly importance: Importance
}

const week_ms = 7 * 24 * 3600 * 1000
const keptPerWeek = 0.98
const staleAfter_ms = 30 * 24 * 3600 * 1000
/** Half of the last digit that is shown. */
const unseen = 0.00005

/** MEMO-09, MEMO-10: worked out from the time that has passed, so it does not matter who reads, and how often. */
export function effectiveConfidence({ confidence, anchored_at, importance }: Anchored, now: Date): number {
  if (importance === 'critical') return confidence
  const weeks = Math.max(0, now.getTime() - Date.parse(anchored_at)) / week_ms
  return confidence * keptPerWeek ** weeks
}

/** With four digits, and as it was set for as long as these would not show a difference. */
export function shownConfidence(memory: Anchored, now: Date): number {
  const effective = effectiveConfidence(memory, now)
  if (Math.abs(effective - memory.confidence) < unseen) return memory.confidence
  return Math.round(effective * 10_000) / 10_000
}

/** MEMO-22: strictly more than 30 days. */
export const isStale = (verified_at: string, now: Date): boolean =>
  now.getTime() - Date.parse(verified_at) > staleAfter_ms

export const daysSince = (at: string, now: Date): number =>
  Math.round(Math.max(0, now.getTime() - Date.parse(at)) / 8640) / 10_000
