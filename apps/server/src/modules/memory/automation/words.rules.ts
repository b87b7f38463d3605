import { emptyWords, months, numberWords, passiveWords, phrases, sameWords } from './lexicon.rules.ts'

/** What a text says, word by word, without what wording alone decides. */
export type Words = readonly string[]

const month = `(${months.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|')})\\.?`
const dayFirst = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${month}(?:,? (\\d{4}))?\\b`, 'g')
const monthFirst = new RegExp(`\\b${month} (\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (\\d{4}))?\\b`, 'g')

/** As one word, so that another day is another word: 2026-03-04, or 03-04 without a year. */
function dated(day: string, name: string, year: string | undefined): string {
  const number = months.findIndex((month) => month.startsWith(name.slice(0, 3))) + 1
  const date = `${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`
  return ` ${year === undefined ? date : `${year}-${date}`} `
}

function timed(hour: string, minute: string | undefined, half: string | undefined): string {
  const base = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0)
  return ` ${String(base).padStart(2, '0')}:${minute ?? '00'} `
}

/** Texts are long at most; what lies beyond does not make two of them alike. */
const mostCharacters = 20_000

const plain = (text: string): string =>
  phrases
    .reduce(
      (text, [phrase, by]) => text.replace(phrase, by),
      text
        .slice(0, mostCharacters)
        .normalize('NFKC')
        // An identifier stays one, with an end that counts: getUser is not getUsers.
        .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
        .toLowerCase()
        .replace(/[‘’]/g, "'"),
    )
    .replace(dayFirst, (_, day, name, year) => dated(day, name, year))
    .replace(monthFirst, (_, name, day, year) => dated(day, name, year))
    .replace(/\b(\d{1,2}):(\d{2})(?: ?(am|pm)\b)?/g, (_, hour, minute, half) => timed(hour, minute, half))
    .replace(/\b(\d{1,2}) ?(am|pm)\b/g, (_, hour, half) => timed(hour, undefined, half))
    .replace(/(\d),(\d{3})\b/g, '$1$2')
    .replace(
      /(?<![\p{L}\d.])([\d.]+) ?(ms|msecs?|s|secs?|mins?|h|hrs?|d|kb|mb|gb|tb|%)(?![\p{L}\p{N}])/gu,
      '$1 $2 ',
    )
    .replace(/!(?==)/g, ' not ')
    .replace(/!(?=[\p{L}_])/gu, ' not ')

// A word with what belongs to it: v1.2.3, src/app.ts, c++, .env, -5, @crew. Other signs are words of their own, except
// for those that only divide or decorate.
const token =
  /[-.@#/]?[\p{L}\p{N}_]+(?:[-._/:@#][\p{L}\p{N}_]+)*(?:\+\+|#)?|[^\s\p{L}\p{N}.,;:!?'"`()[\]{}*_“”„«»…—–/-]/gu
const decoration = /^[-./](?=[\p{L}])|^_+|(?<!_)_+$/gu

/** Two texts with equal words say the same. */
export const wordsOf = (text: string): Words =>
  plain(text)
    .split(/(?<=[.!?])\s+/)
    .flatMap(wordsOfSentence)

function wordsOfSentence(sentence: string): Words {
  const words: string[] = []
  let verb: number | undefined
  let isPassive = false
  for (const [raw] of sentence.matchAll(token)) {
    const parts = /^\p{L}+(?:-\p{L}+)+$/u.test(raw) ? raw.split('-') : [raw]
    for (const part of parts) {
      if (!emptyWords.has(part)) {
        if (isPassive) verb = words.length
        words.push(wordOf(part, isPassive))
      }
      isPassive = passiveWords.has(part)
    }
  }
  return verb === undefined ? words : active(words, verb)
}

/** "Results are cached by the page" as "the page caches results". */
function active(words: Words, verb: number): Words {
  const by = words.lastIndexOf('by')
  if (by <= verb || verb === 0) return words
  return [...words.slice(by + 1), words[verb] ?? '', ...words.slice(0, verb), ...words.slice(verb + 1, by)]
}

function wordOf(raw: string, isPassive: boolean): string {
  const word = raw.replace(decoration, (sign) => (sign === '.' || sign === '/' ? sign : ''))
  const stem = numberWords.get(word) ?? stemOf(word, isPassive)
  return firstOf.get(stem) ?? stem
}

/** Number and the third person, -ing, and the participle of a passive; a past stays another word than a present. */
function stemOf(word: string, isPassive: boolean): string {
  if (!/^\p{L}{3,}$/u.test(word)) return word
  if (/(?:ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:s|x|z|ch|sh)es$/.test(word)) return withoutEnd(word.slice(0, -2))
  if (word.endsWith('s')) return withoutEnd(word.slice(0, -1))
  if (word.length > 5 && word.endsWith('ing')) return withoutEnd(word.slice(0, -3))
  if (isPassive && word.endsWith('ed')) return withoutEnd(word.slice(0, -2))
  return withoutEnd(word)
}

/** "caches", "caching" and "cached" leave "cach", "run" and "running" leave "run". */
const withoutEnd = (stem: string): string =>
  stem
    .replace(/e$/, '')
    .replace(/([bdfgklmnprt])\1$/, '$1')
    .replace(/iz$/, 'is')

/** For each word of a class the one that stands for it. */
const firstOf: ReadonlyMap<string, string> = new Map(
  sameWords.flatMap((words) => {
    const [first = '', ...others] = words.map((word) => stemOf(word, false))
    return others.map((word): [string, string] => [word, first])
  }),
)
