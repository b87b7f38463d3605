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
  const { ref, status, column, priority, assignee, delegate, branch, pr_number, pr_state } = card
  writing.add(`${String(ref)} [${placeOf(status, isFields(column) ? column.name : column)}]`)
  if (hasBoard && typeof card.board === 'string') writing.add(` {${oneLine(card.board)}}`)
  if (typeof priority === 'string' && priority !== 'none') writing.add(` ${priority}`)
  if (isFields(assignee)) writeActor(writing.add(' @'), assignee)
  if (isFields(delegate)) writeActor(writing.add(' by '), delegate)
  writing.add(' ').words(titleOf(card), provenanceOfCard(card))
  if (typeof pr_number === 'number')
    writing.add(` PR ${pr_number}${typeof pr_state === 'string' ? ` ${pr_state}` : ''}`)
  if (typeof branch === 'string') writing.add(` branch=${oneLine(branch)}`)
  return writing
}

/** Title and labels: who wrote one of them may have written the other. */
function titleOf({ title, labels }: Fields): string {
  const tags = Array.isArray(labels) ? labels.map((label) => ` #${oneLine(String(label))}`).join('') : ''
  return `${oneLine(String(title ?? ''))}${tags}`
}

/** The name of the column, and its status if the name does not say it. */
function placeOf(status: unknown, column: unknown): string {
  const name = typeof column === 'string' ? oneLine(column) : ''
  const folded = name.toLowerCase().replaceAll(' ', '_')
  if (name === '' || folded === status) return String(status)
  return status === undefined ? name : `${name}, ${String(status)}`
}

const header = 'under [column, status]: ref priority @assignee title #labels PR, or branch without a PR'

/** A header, then a line for each card under the name of its column. */
export function presentCards(body: unknown, call: ToolCall): readonly Piece[] {
  if (!isFields(body) || !Array.isArray(body.items)) return presentAny(body, call)
  const items = body.items.filter(isFields)
  const writing = new Writing()
  const isSummary = call.query.detail === undefined || call.query.detail === 'summary'
  const total = typeof body.total === 'number' ? ` of ${body.total}` : ''
  const next = continuationOf(body, call)
  writing.add(
    `${items.length}${total} cards${items.length === 0 || !isSummary ? '' : ` ${header}`}${next ? `; ${next}` : ''}\n`,
  )
  if (isSummary) writeSummaries(writing, items)
  else for (const card of items) writing.join(presentCard(card)).add('\n')
  if (isFields(body.progress)) writing.join(presentAny({ progress: body.progress }))
  if (isFields(body.facets)) writeFacets(writing, body.facets)
  return writing.pieces
}

function writeSummaries(writing: Writing, items: readonly Fields[]): void {
  const people = peopleIn(items)
  if (people.length > 0) writing.add(`people: ${people.join(', ')}\n`)
  const hasBoards = new Set(items.map(({ board_id }) => board_id)).size > 1
  let place: string | undefined
  for (const card of items) {
    const board = hasBoards && typeof card.board === 'string' ? `${oneLine(card.board)}: ` : ''
    const here = `[${board}${placeOf(card.status, isFields(card.column) ? card.column.name : card.column)}]`
    if (here !== place) writing.add(`${here}\n`)
    place = here
    writeListed(writing, card)
  }
}

/** What 100 cards have in common stands above them: their titles have to fit into 12 KiB. */
function writeListed(writing: Writing, card: Fields): void {
  const { ref, priority, assignee, delegate, branch, pr_number, pr_state } = card
  writing.add(String(ref))
  if (typeof priority === 'string' && priority !== 'none') writing.add(` ${priority}`)
  if (isFields(assignee)) writing.add(` @${oneLine(String(assignee.id))}`)
  if (isFields(delegate)) writing.add(` by @${oneLine(String(delegate.id))}`)
  writing.add(' ').words(titleOf(card), provenanceOfCard(card))
  if (typeof pr_number === 'number')
    writing.add(` PR${pr_number}${typeof pr_state === 'string' ? ` ${pr_state}` : ''}`)
  else if (typeof branch === 'string') writing.add(` ${oneLine(branch)}`)
  writing.add('\n')
}

/** Who the ids behind an `@` are. */
function peopleIn(items: readonly Fields[]): string[] {
  const people = items.flatMap(({ assignee, delegate }) => [assignee, delegate]).filter(isFields)
  return [
    ...new Set(
      people.map(({ kind, id, name }) => `@${String(id)} ${oneLine(String(name))} (${String(kind)})`),
    ),
  ]
}

/** Labels are words of whoever put them on a card, and nobody keeps who that was. */
function writeFacets(writing: Writing, facets: Fields): void {
  for (const [name, values] of Object.entries(facets)) {
    if (!Array.isArray(values) || values.length === 0) continue
    writing.add(`by ${name}: `)
    values.filter(isFields).forEach(({ value, name: shown, count }, index) => {
      const isNamed = value !== shown && typeof shown === 'string' && shown !== ''
      const text = oneLine(isNamed ? `${shown} (${String(value)})` : String(value))
      writing.add(index === 0 ? '' : ', ').words(text, name === 'label' ? 'unverified' : undefined)
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
  const { source, client_ref, ...rest } = Object.fromEntries(facts)
  if (source !== undefined) writing.add(`source: ${String(source)}\n`)
  // Of an imported card, it is an id in the file.
  if (typeof client_ref === 'string')
    writing.add('client_ref: ').words(oneLine(client_ref), provenanceOfCard(body)).add('\n')
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

/** What they were before may be words of a guest; what they are now the caller has just sent. */
const mayBeForeign = new Set(['title', 'description', 'labels'])

function presentChanges(body: Fields, call: ToolCall): readonly Piece[] {
  const writing = new Writing().add(`${call.params.task_id ?? 'Done'}: `)
  const changed = Object.entries(body.changed as Fields)
  if (changed.length === 0) return writing.add('nothing changed\n').pieces
  writing.add('changed\n')
  for (const [name, change] of changed) {
    if (!isFields(change)) continue
    const provenance = mayBeForeign.has(name) && !isNothing(change.from) ? 'unverified' : undefined
    writing
      .add(`${name}: `)
      .words(brief(change.from), provenance)
      .add(` -> ${brief(change.to)}\n`)
  }
  return writing.pieces
}

const isNothing = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.length === 0)

const longestBrief = 100
function brief(value: unknown): string {
  const plain = isFields(value) && typeof value.name === 'string' ? value.name : value
  const text = oneLine(typeof plain === 'string' ? plain : JSON.stringify(plain ?? null))
  return text.length > longestBrief ? `${text.slice(0, longestBrief)}… (${text.length} characters)` : text
}

/** A line for each relation, with the other card. */
export function presentRelations(body: unknown, call: ToolCall): readonly Piece[] {
  if (!isFields(body) || !Array.isArray(body.items)) return presentAny(body, call)
  const writing = new Writing().add(`${body.items.length} relations: this card is … of the other\n`)
  for (const { kind, task } of body.items.filter(isFields))
    if (isFields(task)) writeCard(writing.add(`${String(kind)}: `), task).add('\n')
  return writing.pieces
}
