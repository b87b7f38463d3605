/** Pairs of neighboring words of a text, and how often each occurs. */
export interface WordPairs {
  readonly counts: ReadonlyMap<string, number>
  readonly total: number
}

const word = /[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu
/** The rest of a longer body says little more. */
const mostWords = 4000

export function pairsOf(text: string): WordPairs {
  const counts = new Map<string, number>()
  let [before, total] = ['', 0]
  for (const [each] of text.matchAll(word)) {
    const pair = `${before} ${each}`
    counts.set(pair, (counts.get(pair) ?? 0) + 1)
    before = each
    total += 1
    if (total === mostWords) break
  }
  return { counts, total }
}

/** The share of pairs that two texts have in common, from 0 to 1 (Dice). */
export function likenessOf(a: WordPairs, b: WordPairs): number {
  if (a.total + b.total === 0) return 0
  const [fewer, more] = a.counts.size <= b.counts.size ? [a, b] : [b, a]
  let common = 0
  for (const [pair, count] of fewer.counts) common += Math.min(count, more.counts.get(pair) ?? 0)
  return (2 * common) / (a.total + b.total)
}

/** What texts of these lengths can reach at most, so that most need not be compared. */
const mostLikeness = (a: WordPairs, b: WordPairs): number =>
  (2 * Math.min(a.total, b.total)) / Math.max(1, a.total + b.total)

export interface Alike<T> {
  readonly item: T
  readonly likeness: number
}

/** Those that are at least so similar, the most similar first. */
export function mostAlike<T>(
  of: WordPairs,
  among: Iterable<readonly [T, WordPairs]>,
  least: number,
  most: number,
): Alike<T>[] {
  const found: Alike<T>[] = []
  for (const [item, pairs] of among) {
    const likeness = mostLikeness(of, pairs) < least ? 0 : likenessOf(of, pairs)
    if (likeness >= least) found.push({ item, likeness })
  }
  return found.sort((a, b) => b.likeness - a.likeness).slice(0, most)
}
