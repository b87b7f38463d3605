/** Ways to look for a memory. Each gives a list of its own, the best first. */
const listNames = ['text', 'trigram', 'vector'] as const
export type ListName = (typeof listNames)[number]
/** Where a memory stands in each list, from 1. */
export type Ranks = Partial<Record<ListName, number>>

export interface Listed {
  readonly id: string
  readonly created_at: string
}
export interface Fused extends Listed {
  readonly ranks: Ranks
  readonly score: number
}

/** Measured: how much the place in each list counts. Trigrams forgive typing errors and know no meaning. */
const weights: Readonly<Record<ListName, number>> = { text: 1, trigram: 0.5, vector: 1.5 }
/** The larger, the less the first places differ from the next ones. */
const damping = 60

/** Reciprocal rank fusion: scores of different lists cannot be compared, places can. Ties: the newest, then by id. */
export function fuse(lists: Partial<Record<ListName, readonly Listed[]>>): Fused[] {
  const found = new Map<string, Fused>()
  for (const name of listNames) {
    for (const [at, { id, created_at }] of (lists[name] ?? []).entries()) {
      const known = found.get(id) ?? { id, created_at, ranks: {}, score: 0 }
      const score = known.score + weights[name] / (damping + at + 1)
      found.set(id, { ...known, ranks: { ...known.ranks, [name]: at + 1 }, score })
    }
  }
  return [...found.values()].sort(
    (a, b) => b.score - a.score || compare(b.created_at, a.created_at) || compare(a.id, b.id),
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const mostTypoWords = 6
const shortestTypoWord = 4

/** Words that are long enough to be recognised with an error in them; the longest, where there are too many. */
export function typoWords(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words)]
    .filter((word) => word.length >= shortestTypoWord)
    .sort((a, b) => b.length - a.length || compare(a, b))
    .slice(0, mostTypoWords)
}

/** C5: whether less than half of what was asked for stands in the memory, and nothing else speaks for it. */
export const isLowMatch = ({ words, matched }: { words: number; matched: number }): boolean =>
  matched * 2 < words || matched === 0
