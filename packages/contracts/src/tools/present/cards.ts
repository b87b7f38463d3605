import type { Piece } from '../pieces.ts'
import type { ToolCall } from '../tool.ts'
import { continuationOf } from './continuation.ts'
import { type Fields, isFields, provenanceOfCard } from './provenance.ts'
import { oneLine, Writing, writeActor } from './writing.ts'

/**
 * A card on one line: `CORE-12 [To do] high @Ada (member:12) Title #label PR 7 open ⎇ branch`. The ref names it in every call,
 * so its id is left out.
 */
export function writeCard(writing: Writing, card: Fields, hasBoard = false): Writing {
  const { ref, status, column, priority, assignee, delegate, labels, branch, pr_number, pr_state } = card
  const provenance = provenanceOfCard(card)
  const columnName = isFields(column) ? column.name : column
  writing.add(`${String(ref)} [${placeOf(status, columnName)}]`)
  if (hasBoard && typeof card.board === 'string') writing.add(` {${oneLine(card.board)}}`)
  if (typeof priority === 'string' && priority !== 'none') writing.add(` ${priority}`)
  if (isFields(assignee)) writeActor(writing.add(' @'), assignee)
  if (isFields(delegate)) writeActor(writing.add(' for '), delegate)
  const tags = Array.isArray(labels) ? labels.map((label) => ` #${oneLine(String(label))}`).join('') : ''
  writing.add(' ').words(`${oneLine(String(card.title ?? ''))}${tags}`, provenance)
  if (typeof pr_number === 'number')
    writing.add(` PR ${pr_number}${typeof pr_state === 'string' ? ` ${pr_state}` : ''}`)
  if (typeof branch === 'string') writing.add(` branch=${oneLine(branch)}`)
  return writing
}

/** The name of the column, and its status if the name does not say it. */
function placeOf(status: unknown, column: unknown): string {
  const name = typeof column === 'string' ? oneLine(column) : ''
  const folded = name.toLowerCase().replaceAll(' ', '_')
  return name === '' || folded === status
    ? String(status)
    : `${name}${status === undefined ? '' : `, ${String(status)}`}`
}

/** A header and a line for each card. */
export function presentCards(body: unknown, call: ToolCall): readonly Piece[] {
  if (!isFields(body) || !Array.isArray(body.items)) return []
  const items = body.items.filter(isFields)
  const writing = new Writing()
  const boards = new Set(items.map(({ board_id }) => board_id))
  const total = typeof body.total === 'number' ? ` of ${body.total}` : ''
  const next = continuationOf(body, call)
  writing.add(
    `${items.length}${total} cards: ref [column, status] priority @assignee title #labels${next ? `; ${next}` : ''}\n`,
  )
  for (const card of items) writeCard(writing, card, boards.size > 1).add('\n')
  return writing.pieces
}
