import type { Piece } from '../pieces.ts'
import type { ToolCall } from '../tool.ts'
import { presentAny } from './any.ts'
import { continuationOf } from './continuation.ts'
import { type Fields, isFields, provenanceOfCard } from './provenance.ts'
import { minuteOf, oneLine, Writing, writeActor } from './writing.ts'

/**
 * A card on one line: `CORE-12 [To do, pending] high @Ada (member:12) Title #label PR 7 open branch=fix`. The ref names it in
 * every call, so its id is left out.
 */
export function writeCard(writing: Writing, card: Fields, hasBoard = false): Writing {
  const { ref, status, column, priority, assignee, delegate, labels, branch, pr_number, pr_state } = card
  writing.add(`${String(ref)} [${placeOf(status, isFields(column) ? column.name : column)}]`)
  if (hasBoard && typeof card.board === 'string') writing.add(` {${oneLine(card.board)}}`)
  if (typeof priority === 'string' && priority !== 'none') writing.add(` ${priority}`)
  if (isFields(assignee)) writeActor(writing.add(' @'), assignee)
  if (isFields(delegate)) writeActor(writing.add(' by '), delegate)
  const tags = Array.isArray(labels) ? labels.map((label) => ` #${oneLine(String(label))}`).join('') : ''
  writing.add(' ').words(`${oneLine(String(card.title ?? ''))}${tags}`, provenanceOfCard(card))
  if (typeof pr_number === 'number')
    writing.add(` PR ${pr_number}${typeof pr_state === 'string' ? ` ${pr_state}` : ''}`)
  if (typeof branch === 'string') writing.add(` branch=${oneLine(branch)}`)
  return writing
}

/** The name of the column, and its status if the name does not say it. */
function placeOf(status: unknown, column: unknown): string {
  const name = typeof column === 'string' ? oneLine(column) : ''
  const folded = name.toLowerCase().replaceAll(' ', '_')
  if (name === '' || folded === status) return String(status)
  return status === undefined ? name : `${name}, ${String(status)}`
}

const header = 'ref [column, status] priority @assignee title #labels PR branch'

/** A header and a line for each card. */
export function presentCards(body: unknown, call: ToolCall): readonly Piece[] {
  if (!isFields(body) || !Array.isArray(body.items)) return presentAny(body, call)
  const items = body.items.filter(isFields)
  const writing = new Writing()
  const hasBoards = new Set(items.map(({ board_id }) => board_id)).size > 1
  const total = typeof body.total === 'number' ? ` of ${body.total}` : ''
  const next = continuationOf(body, call)
  writing.add(
    `${items.length}${total} cards${items.length === 0 ? '' : `: ${header}`}${next ? `; ${next}` : ''}\n`,
  )
  for (const card of items) writeCard(writing, card, hasBoards).add('\n')
  if (isFields(body.progress)) writing.join(presentAny({ progress: body.progress }))
  if (isFields(body.facets)) writeFacets(writing, body.facets)
  return writing.pieces
}

/** Labels are words of whoever put them on a card, and nobody keeps who that was. */
function writeFacets(writing: Writing, facets: Fields): void {
  for (const [name, values] of Object.entries(facets)) {
    if (!Array.isArray(values)) continue
    writing.add(`by ${name}: `)
    values.filter(isFields).forEach(({ value, name: shown, count }, index) => {
      const text = oneLine(String(shown ?? value))
      writing.add(index === 0 ? '' : ', ').words(text, name === 'label' ? 'unverified' : undefined)
      if (value !== shown) writing.add(` (${String(value)})`)
      writing.add(` ${String(count)}`)
    })
    writing.add('\n')
  }
}

const inLine = new Set(
  'id ref number title status column board priority assignee delegate labels branch pr_number pr_state rank board_id'.split(
    ' ',
  ),
)
const foreignTexts = new Set(['description'])
const long = new Set('description instructions acceptance_criteria plan notes result review log'.split(' '))

/** The line of the card, its facts, then its texts. */
export function presentCard(body: unknown): readonly Piece[] {
  if (!isFields(body)) return presentAny(body)
  const writing = writeCard(new Writing(), body, true).add('\n')
  const facts = Object.entries(body).filter(
    ([name, value]) => !inLine.has(name) && !long.has(name) && isTold(value),
  )
  // The texts of the card are below; what is left are facts of the product, whoever wrote the title.
  const { source, ...rest } = Object.fromEntries(facts)
  if (source !== undefined) writing.add(`source: ${String(source)}\n`)
  writing.add(`board_id: ${String(body.board_id)}\n`)
  writing.join(presentAny({ ...rest }, undefined, { isTrusted: true }))
  for (const name of long) {
    const text = body[name]
    if (typeof text !== 'string' || text === '') continue
    const provenance = foreignTexts.has(name) ? provenanceOfCard(body) : undefined
    writing.add(`## ${name}\n`).words(text, provenance).add('\n')
  }
  return writing.pieces
}

/** Zero says as little as nothing. */
const isTold = (value: unknown): boolean => value !== 0 && value !== null && value !== false

/** What a write has changed; of a whole card its line. */
export function presentReceipt(body: unknown, call: ToolCall): readonly Piece[] {
  if (!isFields(body)) return presentAny(body)
  if (isFields(body.changed)) return presentChanges(body, call)
  if (typeof body.title === 'string') {
    const writing = writeCard(new Writing(), body, true)
    if (typeof body.version === 'number') writing.add(` version=${body.version}`)
    return writing.add(
      typeof body.archived_at === 'string' ? ` archived ${minuteOf(body.archived_at)}\n` : '\n',
    ).pieces
  }
  const { task_id: _, ...facts } = body
  return presentAny(facts)
}

/** Earlier texts of a card may be those of a guest, also where a member has just replaced them. */
const mayBeForeign = new Set(['title', 'description', 'labels'])

function presentChanges(body: Fields, call: ToolCall): readonly Piece[] {
  const writing = new Writing().add(`${call.params.task_id ?? 'Done'}: `)
  const changed = Object.entries(body.changed as Fields)
  if (changed.length === 0) return writing.add('nothing changed\n').pieces
  writing.add('changed\n')
  for (const [name, change] of changed) {
    if (!isFields(change)) continue
    const provenance = mayBeForeign.has(name) ? 'unverified' : undefined
    writing.add(`${name}: `).words(brief(change.from), provenance)
    // What the caller has just sent needs no repetition.
    writing.add(name === 'column' || name === 'status' ? ` -> ${brief(change.to)}\n` : ' -> changed\n')
  }
  return writing.pieces
}

const longestBrief = 100
function brief(value: unknown): string {
  const plain = isFields(value) && typeof value.name === 'string' ? value.name : value
  const text = oneLine(typeof plain === 'string' ? plain : JSON.stringify(plain ?? null))
  return text.length > longestBrief ? `${text.slice(0, longestBrief)}… (${text.length} characters)` : text
}
