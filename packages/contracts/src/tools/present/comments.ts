import type { Piece } from '../pieces.ts'
import type { ToolCall } from '../tool.ts'
import { presentAny } from './any.ts'
import { continuationOf } from './continuation.ts'
import { type Fields, isFields, provenanceOfActor } from './provenance.ts'
import { minuteOf, Writing, writeActor } from './writing.ts'

/** A line with time, author and id, and the text below. */
export function writeComment(writing: Writing, comment: Fields): Writing {
  const { id, parent_id, author, created_at, edited_at, body } = comment
  writing.add(`# ${minuteOf(String(created_at))} `)
  writeActor(writing, author)
  if (typeof id === 'string') writing.add(` comment_id=${id}`)
  if (typeof parent_id === 'string') writing.add(` reply to ${parent_id}`)
  if (typeof edited_at === 'string') writing.add(` edited ${minuteOf(edited_at)}`)
  return writing
    .add('\n')
    .words(String(body ?? ''), provenanceOfActor(author))
    .add('\n')
}

export function presentComments(body: unknown, call: ToolCall): readonly Piece[] {
  if (!isFields(body) || !Array.isArray(body.items)) return presentAny(body, call)
  const writing = new Writing()
  const next = continuationOf(body, call)
  writing.add(`${body.items.length} of ${String(body.total)} comments${next ? `; ${next}` : ''}\n`)
  for (const comment of body.items.filter(isFields)) writeComment(writing, comment)
  return writing.pieces
}

/** The caller has just sent the text; the id is what it needs. */
export function presentComment(body: unknown): readonly Piece[] {
  if (!isFields(body) || typeof body.id !== 'string') return presentAny(body)
  return [`Written. comment_id=${body.id}\n`]
}
