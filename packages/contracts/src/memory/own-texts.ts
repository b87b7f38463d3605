/** How texts of our memories are recognised when they come back in a conversation: by id, or by their wording. */
export interface OwnTexts {
  /** In lower case. */
  readonly memory_ids: ReadonlySet<string>
  readonly shingles: ReadonlySet<string>
}

const words_per_shingle = 8
/** A shorter text says too little: "all tests are green" is nobody's memory. */
const fewest_words = 4
/** A script without blanks has few and long words: there, letters count instead. */
const fewest_letters = 16
const most_words_without_blanks = 2
/** A longer word is machine output; without a bound, one such word would be hashed eight times as a whole. */
const longest_word = 64

/** Fingerprints of a memory: every run of eight words, and each short sentence or line as a whole. */
export function shinglesOf(text: string): Set<string> {
  const short = unitsOf(text).map(wordsOf)
  return new Set([
    ...runsOf(wordsOf(text)),
    ...short.filter((words) => words.length < words_per_shingle).flatMap(wholeOf),
  ])
}

/**
 * Whether at least half of a sentence or line of a conversation is wording of ours. With another number, another name or a
 * "not" in it, it is news about what we know, and nobody may miss that.
 */
export function isOwnUnit(unit: string, own: ReadonlySet<string>): boolean {
  if (own.size === 0) return false
  const recited = unit.replace(recitalLead, '')
  return isOurs(unit, own) || (recited.length < unit.length && isOurs(recited, own))
}

/**
 * What announces that something known follows. A short memory is recognised only as a whole, so these words must go first.
 * Any other word before a colon may be what is new: "wrong:", "no longer:", "changed:".
 */
const recitalLead =
  /^[^\p{Letter}\p{Number}\n]*(?:(?:as )?(?:i|we) (?:(?:still|also|already|do) )?(?:remember(?:ed)?|recall(?:ed)?|know|knew|noted|wrote|learned|learnt)(?: (?:that|this|before|earlier|down|already|from before|from memory))?|remembered|recalled|(?:from |(?:my|our) )?memor(?:y|ies)(?: says?)?|(?:(?:my|our|an?|earlier) )*notes?(?: says?)?|reminder)[*_]*:(?=[\s*_])/iu

function isOurs(unit: string, own: ReadonlySet<string>): boolean {
  const words = wordsOf(unit)
  if (words.length < words_per_shingle) return wholeOf(words).some((shingle) => own.has(shingle))
  const known = runsOf(words).map((shingle) => own.has(shingle))
  const count = known.filter(Boolean).length
  return count > 0 && count * 2 >= known.length && !isChanged(unit, words, known)
}

const denials = new Set(['not', 'no', 'never', 'none', 'without', 'cannot', 'nobody', 'nothing', 't'])

/** `known` says of each run of words, by its first word, whether it is ours. */
function isChanged(unit: string, words: readonly string[], known: readonly boolean[]): boolean {
  const first = known.indexOf(true)
  const asWritten = unit.normalize('NFKC').match(token) ?? []
  let last = -1
  return words.some((word, at) => {
    if (known[at] === true) last = at
    if (last >= 0 && at < last + words_per_shingle) return false
    // A name before it is that of somebody who tells us, more often than not.
    const isName = at > first && asWritten.length === words.length && /^\p{Lu}./u.test(asWritten[at] ?? '')
    return isName || denials.has(word) || /\p{Number}/u.test(word)
  })
}

/** Sentences and lines. Each ends with what separates it from the next one, so that joining them gives the text back. */
export const unitsOf = (text: string): string[] => text.match(/[^\n]*?(?:[.!?](?=\s)[^\S\n]*|\n|$)/g) ?? []

/** With the signs that change what a word says, as in -5, .env, C++ and 80%, and comparisons between words. */
const token =
  /(?:(?<![^\s"'`([*_])(?:[-+](?=\p{Number})|[.$€£!~](?=[\p{Letter}\p{Number}])))?[\p{Letter}\p{Number}]+(?:\+\+|[#%](?![\p{Letter}\p{Number}]))?|(?<=\S )[<>=!]{1,3}(?= )/gu

const wordsOf = (text: string): string[] =>
  (text.normalize('NFKC').toLowerCase().match(token) ?? []).map((word) => word.slice(0, longest_word))

const runsOf = (words: readonly string[]): string[] =>
  words.slice(words_per_shingle - 1).map((_, at) => hashOf(words.slice(at, at + words_per_shingle).join(' ')))

function wholeOf(words: readonly string[]): string[] {
  const whole = words.join(' ')
  const isLong = words.length <= most_words_without_blanks && whole.length >= fewest_letters
  return words.length >= fewest_words || isLong ? [hashOf(whole)] : []
}

/**
 * 53 bits: with a million shingles of an agent, a foreign sentence of eight words is taken for ours once in ten
 * billion. Not a digest for secrets: whoever can write into a conversation gains nothing from a collision.
 */
function hashOf(text: string): string {
  let first = 0xde_ad_be_ef
  let second = 0x41_c6_ce_57
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    first = Math.imul(first ^ code, 2_654_435_761)
    second = Math.imul(second ^ code, 1_597_334_677)
  }
  first =
    Math.imul(first ^ (first >>> 16), 2_246_822_507) ^ Math.imul(second ^ (second >>> 13), 3_266_489_909)
  second =
    Math.imul(second ^ (second >>> 16), 2_246_822_507) ^ Math.imul(first ^ (first >>> 13), 3_266_489_909)
  return (4_294_967_296 * (2_097_151 & second) + (first >>> 0)).toString(36)
}
