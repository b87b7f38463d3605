import type { ContextLesson, ContextMemory } from '@crewhall/contracts/boards/context.ts'
import type { CommentText, ContextRow, ItemText, OtherRow, RunText } from './context.store.ts'
import { type Part, type Piece, utf8Start } from './packing.rules.ts'

/** Of the text of a run or a comment, whatever the budget: one long comment must not hide all others. */
export const itemTextBytes = 1200

export interface Sources {
  readonly card: ContextRow
  readonly blockers: readonly OtherRow[]
  readonly checklist?: readonly ItemText[]
  readonly parent: OtherRow | undefined
  readonly runs: readonly RunText[]
  readonly comments: readonly CommentText[]
  /** Only where they were asked for. */
  readonly lessons?: readonly ContextLesson[]
  readonly memories?: readonly ContextMemory[]
}

export const headOf = ({
  id,
  key,
  number,
  status,
  task_type,
  priority,
  source,
  version,
  claim_epoch,
}: ContextRow) => ({
  path: `/api/v1/board/tasks/${id}`,
  ref: `${key}-${number}`,
  status,
  task_type,
  priority,
  source,
  version,
  claim_epoch,
})

/** The order is the priority, and part of the contract. */
export const partsOf = ({
  card,
  checklist = [],
  blockers,
  parent,
  runs,
  comments,
  lessons = [],
  memories = [],
}: Sources): Part[] => [
  { kind: 'text', key: 'title', weight: 5, text: card.title },
  { kind: 'text', key: 'column', weight: 2, text: card.column_name },
  ...setOnly(labelsPart(card.labels)),
  { kind: 'text', key: 'instructions', weight: 25, text: card.instructions },
  { kind: 'text', key: 'acceptance_criteria', weight: 12, text: card.acceptance_criteria },
  ...setOnly(checklistPart(checklist)),
  ...setOnly({ kind: 'text', key: 'review', weight: 10, text: card.review }),
  {
    kind: 'list',
    key: 'blockers',
    weight: 6,
    path: '/relations',
    pieces: blockers.map((row) => ({ value: presentOther(row) })),
    total: card.open_blockers,
  },
  {
    kind: 'list',
    key: 'agent_context',
    weight: 6,
    as: 'object',
    pieces: smallFirst(Object.entries(card.agent_context)),
    total: Object.keys(card.agent_context).length,
  },
  deliveryOf(card),
  {
    kind: 'list',
    key: 'parent',
    weight: 2,
    as: 'one',
    path: '/relations',
    pieces: parent ? [{ value: presentOther(parent) }] : [],
    total: parent ? 1 : 0,
  },
  { kind: 'text', key: 'plan', weight: 10, text: card.plan },
  { kind: 'text', key: 'description', weight: 8, text: card.description },
  { kind: 'text', key: 'notes', weight: 5, text: card.notes },
  ...setOnly({ kind: 'text', key: 'result', weight: 6, text: card.result }),
  ...setOnly(lessonsPart(lessons)),
  ...setOnly(memoriesPart(memories)),
  {
    kind: 'list',
    key: 'runs',
    weight: 6,
    path: '/runs',
    pieces: runs.map(runPiece),
    total: Math.max(card.runs_count, runs.length),
  },
  {
    kind: 'list',
    key: 'comments',
    weight: 9,
    path: '/comments',
    pieces: comments.map((row, at) => commentPiece(row, at, card.comments_count)),
    total: Math.max(card.comments_count, comments.length),
  },
]

const presentOther = ({ key, number, title, status }: OtherRow) => ({
  ref: `${key}-${number}`,
  title,
  status,
})

/** What is known of where the work is; short facts first. */
function deliveryOf(card: ContextRow): Part {
  const { branch, pr_number, pr_state, commit_sha, merged_at, base_branch, repository, pr_url } = card
  const facts = { branch, pr_number, pr_state, commit_sha, merged_at, base_branch, repository, pr_url }
  const pieces = Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]))
  return { kind: 'list', key: 'delivery', weight: 4, as: 'object', pieces, total: pieces.length }
}

/** Without an order of their own, small values go first: one large value must not hide all others. */
const smallFirst = (entries: readonly (readonly [string, unknown])[]): Piece[] =>
  entries
    .map(([name, value]) => ({ name, value, size: JSON.stringify([name, value]).length }))
    .sort((a, b) => a.size - b.size || (a.name < b.name ? -1 : 1))
    .map(({ name, value }) => ({ name, value }))

/** In addition to the hundred that the others share, so that a card without it is told as if it did not exist. */
const setOnly = (part: Part): Part[] =>
  (part.kind === 'text' ? part.text !== '' : part.total > 0) ? [part] : []

const labelsPart = (labels: readonly string[]): Part => ({
  kind: 'list',
  key: 'labels',
  weight: 3,
  pieces: labels.map((value) => ({ value })),
  total: labels.length,
})

const checklistPart = (checklist: readonly ItemText[]): Part => ({
  kind: 'list',
  key: 'checklist',
  weight: 8,
  path: '/checklist',
  pieces: checklist.map((value) => ({ value })),
  total: checklist.length,
})

const lessonsPart = (lessons: readonly ContextLesson[]): Part => ({
  kind: 'list',
  key: 'lessons',
  weight: 20,
  pieces: lessons.map(lessonPiece),
  total: lessons.length,
})

function lessonPiece({ id, type, pinned, stale, hops, body }: ContextLesson, at: number): Piece {
  const { text, ...more } = shortened(body, Buffer.byteLength(body), `lessons.${at}.body`)
  return { value: { id, type, pinned, stale, hops, body: text }, ...more }
}

const memoriesPart = (memories: readonly ContextMemory[]): Part => ({
  kind: 'list',
  key: 'memories',
  weight: 15,
  pieces: memories.map(memoryPiece),
  total: memories.length,
})

function memoryPiece({ id, kind, title, body, stale }: ContextMemory, at: number): Piece {
  const { text, ...more } = shortened(body, Buffer.byteLength(body), `memories.${at}.body`)
  return { value: { id, kind, title, body: text, stale }, ...more }
}

function runPiece(row: RunText, at: number): Piece {
  const { number, status, reason, started_by, started_at, finished_at } = row
  const by = { kind: started_by.kind, name: started_by.name }
  const field = `runs.${at}.summary`
  // Pages of one run each, newest first.
  const path = `/runs?page=${at + 1}&per_page=1`
  const { text, ...more } = shortened(row.summary, row.summary_bytes, field, path)
  return { value: { number, status, reason, summary: text, by, started_at, finished_at }, ...more }
}

function commentPiece(row: CommentText, at: number, total: number): Piece {
  const author = { kind: row.author.kind, name: row.author.name }
  const field = `comments.${at}.body`
  // That list is oldest first.
  const path = `/comments?page=${Math.max(1, total - at)}&per_page=1`
  const { text, ...more } = shortened(row.body, row.body_bytes, field, path)
  return { value: { author, created_at: row.created_at, body: text }, ...more }
}

function shortened(given: string, of: number, field: string, path?: string) {
  const text = utf8Start(given, itemTextBytes)
  const bytes = Buffer.byteLength(text)
  return bytes === of
    ? { text }
    : { text, cut: { field, bytes, of, ...(path === undefined ? {} : { path }) } }
}
