import type { Fence } from './fence.ts'

/** Part of a text: the product's own words and those of the workspace, or words from outside, to be fenced. */
export type Piece = string | ForeignPiece
export interface ForeignPiece {
  readonly text: string
  readonly provenance: string
}

/** The longest text of a tool: clients refuse more than 25,000 tokens. */
export const maxTextLength = 60_000
/** Left free for the note on fences and for what tells how to go on. */
const reserved = 1000

export const lengthOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, piece) => sum + textIn(piece).length, 0)

const textIn = (piece: Piece): string => (typeof piece === 'string' ? piece : piece.text)

export interface Rendered {
  readonly text: string
  /** Where the rest begins, counted in characters without marks; undefined if there is none. */
  readonly next_offset: number | undefined
}

/**
 * The text of these pieces after `offset`, as far as there is room. A fenced piece that is cut is closed here, and opened again
 * in the next part.
 */
export function render(pieces: readonly Piece[], fence: Fence, offset: number): Rendered {
  const parts: string[] = []
  let room = maxTextLength - reserved
  let at = 0
  let isNoted = false
  for (const piece of pieces) {
    const text = textIn(piece)
    const begin = Math.max(0, offset - at)
    at += text.length
    if (begin >= text.length) continue
    const rest = text.slice(begin)
    const whole = written(piece, rest, fence)
    if (whole.length <= room) {
      parts.push(whole)
      room -= whole.length
    } else {
      const kept = longestFitting(rest, room, (part) => written(piece, part, fence).length)
      if (kept > 0) parts.push(written(piece, rest.slice(0, kept), fence))
      return {
        text: noted(parts, isNoted || (kept > 0 && isForeign(piece)), fence),
        next_offset: at - rest.length + kept,
      }
    }
    isNoted ||= isForeign(piece)
  }
  return { text: noted(parts, isNoted, fence), next_offset: undefined }
}

const isForeign = (piece: Piece): piece is ForeignPiece => typeof piece !== 'string'

/** Marks of a text with several lines stand on lines of their own, so that its first line begins one. */
function written(piece: Piece, text: string, fence: Fence): string {
  if (!isForeign(piece)) return text
  return fence(text.includes('\n') ? `\n${text}\n` : text, piece.provenance)
}

const noted = (parts: readonly string[], isNoted: boolean, fence: Fence): string =>
  isNoted ? `${fence.note}\n${parts.join('')}` : parts.join('')

/** How much of the text fits, ending after a line where possible and never inside a character. */
function longestFitting(text: string, room: number, lengthOf: (part: string) => number): number {
  let low = 0
  let high = Math.min(text.length, room)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (lengthOf(text.slice(0, middle)) <= room) low = middle
    else high = middle - 1
  }
  const line = text.lastIndexOf('\n', low - 1) + 1
  if (line > low / 2) return line
  const code = text.charCodeAt(low - 1)
  return code >= 0xd800 && code <= 0xdbff ? low - 1 : low
}
