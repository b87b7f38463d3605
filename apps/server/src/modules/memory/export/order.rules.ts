import type { Importance } from '@crewhall/contracts/memory/fields.ts'
import { effectiveConfidence } from '../memories/confidence.rules.ts'

export interface Ranked {
  readonly id: string
  readonly importance: Importance
  readonly confidence: number
  readonly anchored_at: string
  readonly created_at: string
}

const week_ms = 7 * 24 * 3600 * 1000
const logKept = Math.log(0.98)

/** When the effective confidence of a memory that decays falls, or has fallen, to this value. */
const reachesAt = ({ confidence, anchored_at }: Ranked, value: number): number =>
  Date.parse(anchored_at) + (week_ms * Math.log(value / confidence)) / logKept

/**
 * The highest effective confidence first. Memories that decay keep their order among themselves for ever, so they are
 * compared by a value in which time is not: two that are equal to the last digit must not change places every hour.
 */
export function inOrder<Memory extends Ranked>(memories: readonly Memory[], now: Date): Memory[] {
  const decaying = sorted(memories.filter(decays), (memory) => reachesAt(memory, 1))
  const critical = sorted(
    memories.filter((memory) => !decays(memory)),
    ({ confidence }) => confidence,
  )
  const merged: Memory[] = []
  let at = 0
  for (const memory of decaying) {
    const value = effectiveConfidence(memory, now)
    while (critical[at] && (critical[at]?.confidence ?? 0) >= value) merged.push(critical[at++] as Memory)
    merged.push(memory)
  }
  return [...merged, ...critical.slice(at)]
}

const decays = ({ importance }: Ranked): boolean => importance !== 'critical'

function sorted<Memory extends Ranked>(memories: readonly Memory[], keyOf: (memory: Memory) => number) {
  const newestFirst = (one: Memory, other: Memory) =>
    other.created_at.localeCompare(one.created_at) || other.id.localeCompare(one.id)
  return memories
    .map((memory) => ({ memory, key: keyOf(memory) }))
    .sort(
      (one, other) =>
        (one.key === other.key ? 0 : other.key - one.key) || newestFirst(one.memory, other.memory),
    )
    .map(({ memory }) => memory)
}

/** When time alone changes the order: the first memory that decays has fallen to the critical one that follows it. */
export function nextChangeOfOrder(ordered: readonly Ranked[]): Date | undefined {
  const times = ordered.slice(1).flatMap((memory, before) => {
    const above = ordered[before]
    return above && decays(above) && !decays(memory) && memory.confidence > 0
      ? [reachesAt(above, memory.confidence)]
      : []
  })
  return times.length === 0 ? undefined : new Date(Math.ceil(Math.min(...times)))
}
