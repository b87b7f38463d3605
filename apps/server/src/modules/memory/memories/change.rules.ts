import type { Importance, MemoryKind, MemoryStatus } from '@crewhall/contracts/memory/fields.ts'
import type { MemoryChange, NewMemory } from '@crewhall/contracts/memory/memories.ts'
import { effectiveConfidence } from './confidence.rules.ts'

/** All that a change may touch. A time that is null becomes the time of the change. */
export interface Content {
  readonly kind: MemoryKind
  readonly title: string
  readonly body: string
  readonly description: string | null
  readonly tags: readonly string[]
  readonly importance: Importance
  readonly status: MemoryStatus
  /** The value at `anchored_at`. */
  readonly confidence: number
  readonly anchored_at: string | null
  readonly verified_at: string | null
  readonly is_locked: boolean
  /** The memory that has taken its place; only of an archived one. */
  readonly superseded_by: string | null
}
export interface Stored extends Content {
  readonly anchored_at: string
  readonly verified_at: string
}

/** A memory as automation would write it. */
export interface Draft {
  readonly kind: MemoryKind
  readonly title: string
  readonly body: string
  readonly description: string | null
  readonly tags: readonly string[]
  readonly importance: Importance
  readonly confidence: number
}

export const draftContent = ({
  kind,
  title,
  body,
  description,
  tags,
  importance,
  confidence,
}: Draft): Content => ({
  kind,
  title,
  body,
  description,
  tags,
  importance,
  confidence,
  status: 'active',
  anchored_at: null,
  verified_at: null,
  is_locked: false,
  superseded_by: null,
})

/** M6: what a person has written is theirs; automation leaves it alone. */
export const newContent = (memory: NewMemory, isPerson: boolean): Content => ({
  ...draftContent({ ...memory, description: memory.description ?? null }),
  is_locked: isPerson,
})

/** MEMO-G5: whoever sets one of these has looked at the memory. */
const verifies = ({ title, body, confidence, status }: MemoryChange): boolean =>
  title !== undefined || body !== undefined || confidence !== undefined || status === 'active'

/** The memory after a change, or undefined if nothing is different. */
export function changedContent(
  before: Stored,
  { reason: _, ...sent }: MemoryChange,
  { now, isPerson }: { now: Date; isPerson: boolean },
): Content | undefined {
  const set = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined))
  const isVerified = verifies(sent)
  const differs = Object.entries(set).some(
    ([name, value]) => JSON.stringify(before[name as keyof Stored]) !== JSON.stringify(value),
  )
  if (!differs && !isVerified) return undefined
  const after: Content = {
    ...before,
    ...set,
    is_locked: before.is_locked || isPerson,
    superseded_by: sent.status === 'active' ? null : before.superseded_by,
  }
  if (isVerified) return { ...after, anchored_at: null, verified_at: null }
  const changesDecay = (before.importance === 'critical') !== (after.importance === 'critical')
  // Whether it decays changes; what it is worth at this moment does not.
  if (changesDecay) return { ...after, confidence: effectiveConfidence(before, now), anchored_at: null }
  return after
}

/** Decay starts again from the value that was set last. */
export const verifiedContent = (before: Stored, isPerson: boolean): Content => ({
  ...before,
  anchored_at: null,
  verified_at: null,
  is_locked: before.is_locked || isPerson,
})

/** Two memories that differ only in case and blanks have the same. */
export const normalisedText = ({ title, body }: { title: string; body: string }): string =>
  [title, body].map((text) => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').trim()).join('\n')
