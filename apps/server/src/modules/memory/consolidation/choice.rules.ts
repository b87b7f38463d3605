import { longestBody, mostEvidence } from '@crewhall/contracts/memory/fields.ts'
import { longestSaying, type Source, sourceLine } from './pattern.rules.ts'

/** MEMO-68. */
export const fewest = 3

/**
 * Of these sources, beside those that a pattern has already, as many as one body can hold in full, in their order. What
 * is too long is left out: a text that was cut would no longer be found by what was cut off.
 */
export function fitting<S extends Source>(candidates: readonly S[], held: readonly Source[] = []): S[] {
  const sizeOf = (source: Source) => sourceLine(source).length + 1
  let room = longestBody - longestSaying - held.reduce((sum, source) => sum + sizeOf(source), 0)
  let places = mostEvidence - held.length
  return candidates.filter((source) => {
    const size = sizeOf(source)
    if (places < 1 || size > room) return false
    room -= size
    places -= 1
    return true
  })
}

interface Use {
  /** Active memories of the agent that have the tag. */
  readonly tagged: number
  /** Active memories of the agent; at least five times as many, if it is not all of them. */
  readonly memories: number
}
const few = 50

/** M8: a tag on more than a fifth of many memories says nothing about what they have in common. */
export const isGeneric = ({ tagged, memories }: Use): boolean => memories > few && tagged * 5 > memories
