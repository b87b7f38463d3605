/** Words that say how a sentence is built and not what it is about. */
const functionWords = new Set(
  `a about above after again all also an and any are as at be because been before being below between both but by can
   could did do does down during each every few for from get gets got had has have he her here him his how i if in into
   is it its just made make may me might more most must my need needs no nor not now of off on once one only or other
   our out over own same she should since so some still such than that the their them then there these they this those
   through to too under until up upon us use used uses was we were what when where which while who whom whose why will
   with without would yet you your`.split(/\s+/),
)

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{Letter}\p{Number}]+/gu) ?? []
}

export function contentWords(text: string): Set<string> {
  return new Set(wordsOf(text).filter((word) => !functionWords.has(word)))
}

/** The share of the content words of `text` that stand in `other` as well. */
export function sharedWords(text: string, other: string): number {
  const words = contentWords(text)
  return words.intersection(contentWords(other)).size / Math.max(1, words.size)
}

/** The first run of `length` words that stands in both. */
export function sharedPhrase(text: string, other: string, length: number): string | undefined {
  const phrases = (words: readonly string[]) =>
    words.slice(length - 1).map((_, at) => words.slice(at, at + length).join(' '))
  const known = new Set(phrases(wordsOf(other)))
  return phrases(wordsOf(text)).find((phrase) => known.has(phrase))
}
