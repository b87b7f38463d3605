import type { BatchLimits } from '#platform/embeddings/provider.ts'

export interface PieceLimits {
  /** Longest piece, in characters. */
  readonly characters: number
  /** Pieces of one text; what is longer is cut off. */
  readonly count: number
}

/**
 * A text as pieces that a model reads to their end. Normalized first: the models do it anyway, and a character may
 * become eighteen.
 */
export function piecesOf(text: string, { characters, count }: PieceLimits): string[] {
  const whole = text
    .slice(0, characters * count)
    .toWellFormed()
    .normalize('NFKC')
    .slice(0, characters * count)
    .trim()
  // A model has no vector for nothing.
  if (whole === '') return [' ']
  const pieces: string[] = []
  for (let start = 0; start < whole.length && pieces.length < count; ) {
    const end = endOfPiece(whole, start, characters)
    pieces.push(whole.slice(start, end))
    start = end
  }
  return pieces
}

/** At a space in the last fifth if there is one; never inside of a character. */
function endOfPiece(text: string, start: number, characters: number): number {
  const end = start + characters
  if (end >= text.length) return text.length
  const space = text.lastIndexOf(' ', end)
  if (space > end - characters / 5) return space
  const isPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(end - 1, end + 1))
  return isPair ? end - 1 : end
}

/** Pieces in calls of a bearable size, in their order. */
export function batchesOf(pieces: readonly string[], most: BatchLimits): string[][] {
  const batches: string[][] = []
  let characters = Number.POSITIVE_INFINITY
  for (const piece of pieces) {
    characters += piece.length
    const last = batches.at(-1)
    if (last && last.length < most.pieces && characters <= most.characters) last.push(piece)
    else {
      batches.push([piece])
      characters = piece.length
    }
  }
  return batches
}
