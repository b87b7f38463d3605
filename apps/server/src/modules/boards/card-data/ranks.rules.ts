/**
 * A rank grows by a digit about every sixth time that a card is put between the same two, and an index entry holds some
 * 2,700 bytes. Beyond this length the neighbours get new ranks.
 */
export const longestRank = 40

/** So many of these, evenly spread and none that is taken: the rows are written one after the other. */
export function deriveSpread(ranks: readonly string[], count: number, taken: ReadonlySet<string>): string[] {
  const free = ranks.filter((rank) => !taken.has(rank))
  return Array.from({ length: count }, (_, at) => free[Math.floor((at * free.length) / count)] as string)
}

export const isShort = (ranks: readonly string[]): boolean =>
  ranks.every(({ length }) => length <= longestRank / 2)
