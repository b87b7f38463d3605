import type { Piece } from '../pieces.ts'
import { type Fields, isFields, provenanceOfActor } from './provenance.ts'

/** Collects a text piece by piece. */
export class Writing {
  readonly pieces: Piece[] = []

  add(text: string): this {
    const last = this.pieces.at(-1)
    if (typeof last === 'string') this.pieces[this.pieces.length - 1] = last + text
    else if (text !== '') this.pieces.push(text)
    return this
  }

  /** Words that may come from outside: fenced if they do. */
  words(text: string, provenance: string | undefined): this {
    if (provenance === undefined || text === '') return this.add(text)
    this.pieces.push({ text, provenance })
    return this
  }

  join(pieces: readonly Piece[]): this {
    for (const piece of pieces) {
      if (typeof piece === 'string') this.add(piece)
      else this.pieces.push(piece)
    }
    return this
  }
}

/** Lists are one line per entry, and nothing in a title begins another one. */
export const oneLine = (text: string): string => text.replace(/[\s\u0085\u2028\u2029]+/gu, ' ').trim()

/** To the minute: `2026-01-31 09:30`. */
export const minuteOf = (timestamp: string): string => timestamp.slice(0, 16).replace('T', ' ')

const timestampForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
export const isTimestamp = (value: unknown): value is string =>
  typeof value === 'string' && timestampForm.test(value)

/** `Ada (member:12)`, `agent:builder`; the name of a guest is text from outside. */
export function writeActor(writing: Writing, actor: unknown): Writing {
  if (!isFields(actor)) return writing
  const { kind, id, name, agent_id } = actor
  if (kind === 'system') return writing.add('system')
  if (kind === 'agent') return writing.add(`agent:${oneLine(String(agent_id ?? id ?? name))}`)
  const named = oneLine(String(name ?? ''))
  writing.words(named, provenanceOfActor(actor))
  return id === undefined ? writing : writing.add(` (${String(kind)}:${String(id)})`)
}

export const isActor = (value: unknown): value is Fields =>
  isFields(value) && typeof value.kind === 'string' && typeof value.name === 'string' && 'id' in value
