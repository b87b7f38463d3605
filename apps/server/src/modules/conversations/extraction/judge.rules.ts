import {
  type Importance,
  importances,
  type MemoryKind,
  writableKinds,
} from '@crewhall/contracts/memory/fields.ts'
import { mostMemories, type Said } from './prompt.rules.ts'

export const verdicts = ['new', 'same', 'supersedes', 'conflicts'] as const
export type Verdict = (typeof verdicts)[number]

/** One memory as a model returns it. Its shape is checked, nothing else. */
export interface Extracted {
  readonly message: number
  readonly quote: string
  readonly kind: string
  readonly title: string
  readonly body: string
  readonly description: string | null
  readonly tags: readonly string[]
  readonly importance: string
  readonly decision: Verdict
  readonly existing: number | null
}

export type RejectReason =
  | 'too_many'
  | 'too_long'
  | 'empty'
  | 'unknown_kind'
  | 'unknown_note'
  | 'repeated'
  | 'quote_too_short'
  | 'quote_not_found'
  | 'unsupported_number'

export interface Draft {
  readonly kind: MemoryKind
  readonly title: string
  readonly body: string
  readonly description: string | null
  readonly tags: readonly string[]
  readonly importance: Importance
  readonly confidence: number
}

export type Judged =
  | { readonly decision: 'rejected'; readonly reason: RejectReason }
  | {
      readonly decision: Verdict
      readonly draft: Draft
      /** Verbatim, and the messages that hold it. */
      readonly quote: string
      readonly message_seqs: readonly number[]
      /** Which of the known memories it is about; undefined for new ones. */
      readonly existing: number | undefined
    }

const longestTitle = 500
const longestBody = 4_000
const longestDescription = 200
const longestQuote = 300
/** Two words; less is in every conversation. */
const shortestQuote = 8
const mostTags = 8
const longestTag = 64
/** What a person said, and what an agent concluded. Nothing starts at full confidence. */
const confidenceOf = (role: string | undefined): number => (role === 'person' ? 0.8 : 0.7)

/**
 * M1: a memory without a passage that stands in the conversation word by word is an invention. Numbers have to stand
 * there as well: models quote a true sentence and then note another figure.
 */
export function judge(
  extracted: readonly Extracted[],
  messages: readonly Said[],
  known: number,
): readonly Judged[] {
  const texts = messages.map(({ seq, role, text }) => ({ seq, role, text: squeezed(text) }))
  const allNumbers = new Set(texts.flatMap(({ text }) => numbersIn(text)))
  const titles = new Set<string>()
  let accepted = 0
  return extracted.map((one) => {
    const rejected = (reason: RejectReason): Judged => ({ decision: 'rejected', reason })
    const [title, body, quote] = [squeezed(one.title), one.body.trim(), squeezed(one.quote)]
    const kind = writableKinds.find((each) => each === one.kind)
    const importance = importances.find((each) => each === one.importance)
    if (!kind || !importance) return rejected('unknown_kind')
    if (title === '' || body === '') return rejected('empty')
    const description = one.description === null ? null : squeezed(one.description) || null
    const isTooLong =
      title.length > longestTitle ||
      body.length > longestBody ||
      quote.length > longestQuote ||
      (description?.length ?? 0) > longestDescription
    if (isTooLong) return rejected('too_long')
    if (quote.length < shortestQuote) return rejected('quote_too_short')
    // The number of the message is a hint: what counts is that somebody said it.
    const holding = texts.filter(({ text }) => text.includes(quote))
    const named = holding.find(({ seq }) => seq === one.message) ?? holding[0]
    if (!named) return rejected('quote_not_found')
    if (numbersIn(`${title} ${body}`).some((number) => !allNumbers.has(number)))
      return rejected('unsupported_number')
    const isAboutKnown = one.decision !== 'new'
    const isKnown = one.existing !== null && one.existing >= 1 && one.existing <= known
    if (isAboutKnown && !isKnown) return rejected('unknown_note')
    if (titles.has(title.toLowerCase())) return rejected('repeated')
    titles.add(title.toLowerCase())
    if (accepted === mostMemories) return rejected('too_many')
    accepted += 1
    return {
      decision: one.decision,
      draft: {
        kind,
        title,
        body,
        description,
        tags: tagsOf(one.tags),
        // Critical memories never decay, which is for people to say.
        importance: importance === 'critical' ? 'high' : importance,
        confidence: confidenceOf(named.role),
      },
      quote,
      message_seqs: [named.seq],
      existing: isAboutKnown && one.existing !== null ? one.existing - 1 : undefined,
    }
  })
}

/** Line breaks and indentation are layout: a quote may leave them out. */
const squeezed = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim()

const tagsOf = (tags: readonly string[]): string[] => {
  const plain = tags
    .map((tag) => squeezed(tag).toLowerCase())
    .filter((tag) => tag !== '' && tag.length <= longestTag)
  return [...new Set(plain)].slice(0, mostTags)
}

/** Dates are rewritten on purpose ("yesterday"), and single digits are often words in the conversation. */
const dates = /\b\d{4}-\d{2}(?:-\d{2})?\b|\b(?:19|20)\d{2}\b/g
const numbersIn = (text: string): string[] =>
  text
    .replaceAll(dates, ' ')
    .match(/\d[\d.,:]*\d/g)
    ?.map((number) => number.replaceAll(',', '')) ?? []
