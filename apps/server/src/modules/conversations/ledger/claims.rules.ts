import { longLadder } from '@crewhall/contracts/job.ts'

/** CONV-13, CONV-14: seconds from this failure to the next attempt; undefined after the last one. `failures` counts it. */
export const waitAfter = (failures: number): number | undefined => longLadder[failures - 1]

/** How often an attempt may end with its worker before the conversation itself is suspected. */
export const mostLosses = 5

interface Unread {
  readonly seq: number
  readonly text: string
}
interface Bounds {
  readonly messages: number
  readonly characters: number
}

/** The next messages that fit; at least one, however long it is. `is_all` says that none is left behind. */
export function nextRange<Message extends Unread>(
  unread: readonly Message[],
  bounds: Bounds,
): { readonly messages: readonly Message[]; readonly is_all: boolean } {
  let characters = 0
  const end = unread.findIndex(({ text }, at) => {
    characters += text.length
    return at > 0 && (at >= bounds.messages || characters > bounds.characters)
  })
  return end < 0 ? { messages: unread, is_all: true } : { messages: unread.slice(0, end), is_all: false }
}
