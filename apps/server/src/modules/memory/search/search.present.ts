import type { FoundMemory, Why } from '@crewhall/contracts/memory/fields.ts'
import { daysSince, isStale, shownConfidence } from '../memories/confidence.rules.ts'
import type { Ranks } from './search.rules.ts'
import type { FoundRow } from './search.store.ts'

interface Telling {
  readonly now: Date
  readonly is_low_match: boolean
  /** Only if the caller wants to know why. */
  readonly ranks: Ranks | undefined
}

export function presentFound(row: FoundRow, { now, is_low_match, ranks }: Telling): FoundMemory {
  const { id, kind, title, body, description, tags, verified_at } = row
  return {
    id,
    kind,
    title,
    body,
    description,
    confidence: shownConfidence(row, now),
    tags: [...tags],
    ...(isStale(verified_at, now) ? { stale: true, stale_caveat: caveat(verified_at, now) } : {}),
    ...(is_low_match ? { low_match: true } : {}),
    ...(ranks ? { why: presentWhy(row, ranks, now) } : {}),
  }
}

const caveat = (verified_at: string, now: Date): string =>
  `Not verified for ${Math.floor(daysSince(verified_at, now))} days; check it before you rely on it`

const presentWhy = (row: FoundRow, ranks: Ranks, now: Date): Why => ({
  text_rank: ranks.text ?? null,
  vector_rank: ranks.vector ?? null,
  trigram_rank: ranks.trigram ?? null,
  confidence: shownConfidence(row, now),
  age_days: daysSince(row.created_at, now),
})
