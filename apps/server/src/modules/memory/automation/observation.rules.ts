import type { Content, Stored } from '../memories/change.rules.ts'

/** What one more conversation adds to the confidence, and what all of them together may add. */
const gain = 0.01
const mostGains = 5
const fresh_ms = 24 * 3600 * 1000

interface Observation {
  readonly now: Date
  /** Conversations that have said so, with this one. */
  readonly conversations: number
}

/**
 * M5: a memory that another conversation has said again is verified anew. Undefined if that changes nothing worth a change
 * in the history: it is locked, no longer active, or was verified within the last day and has gained all it can.
 */
export function observedContent(before: Stored, { now, conversations }: Observation): Content | undefined {
  if (before.is_locked || before.status !== 'active') return undefined
  const gains = conversations > 1 && conversations <= 1 + mostGains
  const isFresh = now.getTime() - Date.parse(before.verified_at) < fresh_ms
  if (isFresh && !gains) return undefined
  const confidence = gains
    ? Math.min(1, Math.round((before.confidence + gain) * 1e6) / 1e6)
    : before.confidence
  return {
    ...before,
    confidence: Math.max(before.confidence, confidence),
    anchored_at: null,
    verified_at: null,
  }
}
