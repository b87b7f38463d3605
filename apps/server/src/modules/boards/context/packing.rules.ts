import type { Cut } from '@crewhall/contracts/boards/knew.ts'

/** A text that may end anywhere between two characters. */
interface TextPart {
  readonly kind: 'text'
  readonly key: string
  /** Its share of the weights of all parts together. */
  readonly weight: number
  readonly text: string
}

/** One after the other, as many as there is room for. */
interface ListPart {
  readonly kind: 'list'
  readonly key: string
  readonly weight: number
  readonly pieces: readonly Piece[]
  /** How many there are, also of those that were not read. */
  readonly total: number
  /** Where the others are, when it is not the card. */
  readonly path?: string
  /** An array by default. */
  readonly as?: 'object' | 'one'
}

export interface Piece {
  readonly value: unknown
  /** In an object. */
  readonly name?: string
  /** Its own text was too long already. */
  readonly cut?: Cut
}

export type Part = TextPart | ListPart

/** A part as it is sent. Without a value, nothing of it is. */
interface Form {
  readonly value?: unknown
  readonly cuts: readonly Cut[]
}

/** Forms of a part from nothing to all of it, each with what it costs in the body. */
interface Choice {
  readonly key: string
  readonly weight: number
  readonly least: number
  readonly most: number
  best(bytes: number): Form
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
const comma = 1

/**
 * The head and as much of the parts as fits into the budget. Each part gets its share; unused shares go to the others in
 * their order. Shares are counted in steps of one byte per weight, so that each grows with the budget and what is left over
 * never shrinks: a larger budget never removes anything.
 */
export function pack(head: object, parts: readonly Part[], budget: number) {
  const choices = parts.map((part) => (part.kind === 'text' ? textChoice(part) : listChoice(part)))
  const free = budget - sizeOf({ ...head, cut: [] }) - sum(choices.map(({ least }) => least))
  const needs = choices.map(({ least, most }) => most - least)
  const given = sum(needs) <= free ? needs : sharesOf(choices, needs, free)
  const forms = choices.map(({ key, least, best }, at) => ({ key, ...best(least + (given[at] ?? 0)) }))
  const kept = forms.filter(({ value }) => value !== undefined).map(({ key, value }) => [key, value])
  const cuts = forms.flatMap((form) => form.cuts)
  return { ...head, ...Object.fromEntries(kept), cut: free < 0 ? cuts.map(briefly) : cuts }
}

/** Where there is no room even for the notes: that nothing is there goes without saying. */
const briefly = ({ field, bytes, items, of, path }: Cut): Cut => ({
  field,
  ...(bytes ? { bytes } : {}),
  ...(items ? { items } : {}),
  of,
  ...(path === undefined ? {} : { path }),
})

function sharesOf(choices: readonly Choice[], needs: readonly number[], free: number): number[] {
  const whole = sum(choices.map(({ weight }) => weight))
  const steps = Math.max(0, Math.floor(free / whole))
  const own = choices.map(({ weight }, at) => Math.min(needs[at] ?? 0, weight * steps))
  let rest = whole * steps - sum(own)
  return own.map((share, at) => {
    const more = Math.min(rest, (needs[at] ?? 0) - share)
    rest -= more
    return share + more
  })
}

function textChoice({ key, weight, text }: TextPart): Choice {
  const whole: Form = { cuts: [], ...(text === '' ? {} : { value: text }) }
  const of = Buffer.byteLength(text)
  const cut = (bytes: number): Cut => ({ field: key, bytes, of })
  const most = costOf(key, whole)
  const none: Form = { cuts: [cut(0)] }
  // Where saying that it is missing takes as much room, nothing is ever missing.
  const least = Math.min(most, costOf(key, none))
  return {
    key,
    weight,
    least,
    most,
    best(bytes) {
      if (bytes >= most) return whole
      // As if all of it were kept, which is the longest the note can be.
      const room = bytes - costOf(key, { value: '', cuts: [cut(of)] })
      const value = startOf(text, room)
      return value === '' ? none : { value, cuts: [cut(Buffer.byteLength(value))] }
    },
  }
}

/** The longest beginning that takes this many bytes in JSON, without its quotes. */
function startOf(text: string, room: number): string {
  let used = 0
  let end = 0
  for (const char of text) {
    used += jsonBytes(char)
    if (used > room) break
    end += char.length
  }
  return text.slice(0, end)
}

function jsonBytes(char: string): number {
  const code = char.codePointAt(0) ?? 0
  const isPlain = code >= 0x20 && code < 0x7f && char !== '"' && char !== '\\'
  return isPlain ? 1 : sizeOf(char) - 2
}

/** The longest beginning of a text that has this many bytes as UTF-8. */
export function utf8Start(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  let used = 0
  let end = 0
  for (const char of text) {
    used += Buffer.byteLength(char)
    if (used > bytes) break
    end += char.length
  }
  return text.slice(0, end)
}

function listChoice(part: ListPart): Choice {
  const { key, weight, pieces, total, path } = part
  const costs = costsOf(part)
  const missing = (count: number): Cut[] =>
    count < total ? [{ field: key, items: count, of: total, ...(path === undefined ? {} : { path }) }] : []
  const cost = (count: number) => (costs[count] ?? 0) + sum(missing(count).map(entryCost))
  const most = cost(pieces.length)
  return {
    key,
    weight,
    most,
    least: Math.min(most, cost(0)),
    best(bytes) {
      let count = pieces.length
      while (count > 0 && cost(count) > bytes) count -= 1
      const kept = pieces.slice(0, count)
      const cuts = [...kept.flatMap(({ cut }) => (cut ? [cut] : [])), ...missing(count)]
      return count === 0 ? { cuts } : { value: joined(kept, part.as), cuts }
    },
  }
}

const entryCost = (cut: Cut): number => sizeOf(cut) + comma

/** Cost of the first n pieces, with the notes on their own texts. */
function costsOf({ key, pieces, as }: ListPart): number[] {
  const frame = sizeOf(key) + 1 + (as === 'one' ? 0 : 2) + comma
  const costs = [0]
  let used = frame
  for (const { value, name, cut } of pieces) {
    used += sizeOf(value) + comma + (as === 'object' ? sizeOf(name) + 1 : 0) + (cut ? entryCost(cut) : 0)
    costs.push(used)
  }
  return costs
}

function joined(pieces: readonly Piece[], as: ListPart['as']): unknown {
  if (as === 'one') return pieces[0]?.value
  if (as === 'object') return Object.fromEntries(pieces.map(({ name, value }) => [name, value]))
  return pieces.map(({ value }) => value)
}

const costOf = (key: string, { value, cuts }: Form): number =>
  (value === undefined ? 0 : sizeOf(key) + 1 + sizeOf(value) + comma) + sum(cuts.map(entryCost))

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)
