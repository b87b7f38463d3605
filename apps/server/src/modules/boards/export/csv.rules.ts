import type { Worker } from '@crewhall/contracts/boards/card-fields.ts'
import type { ExportCard } from './export.rules.ts'

export interface CsvCard extends ExportCard {
  readonly estimate: number | null
  readonly start_at: string | null
  readonly delegate: Worker | null
  readonly repository: string | null
  readonly pr_url: string | null
  readonly pr_state: string | null
  readonly blocked_reason: string | null
  readonly source: string
  readonly client_ref: string | null
  /** Of its parent, on whatever board. */
  readonly parent_ref: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly started_at: string | null
  readonly completed_at: string | null
}

type Cell = string | number | null
type Place = { readonly key: string; readonly column: string }

/** In the order of the file. The import reads the same names. */
const cells: readonly (readonly [string, (card: CsvCard, at: Place) => Cell])[] = [
  ['ref', (card, { key }) => `${key}-${card.number}`],
  ['title', (card) => card.title],
  ['column', (_, { column }) => column],
  ['status', (card) => card.status],
  ['task_type', (card) => card.task_type],
  ['priority', (card) => card.priority],
  ['labels', (card) => card.labels.join(', ')],
  ['estimate', (card) => card.estimate],
  ['assignee', (card) => card.assignee?.name ?? null],
  ['delegate', (card) => card.delegate?.name ?? null],
  ['parent', (card) => card.parent_ref],
  ['start_at', (card) => card.start_at],
  ['due_at', (card) => card.due_at],
  ['description', (card) => card.description],
  ['blocked_reason', (card) => card.blocked_reason],
  ['repository', (card) => card.repository],
  ['branch', (card) => card.branch],
  ['pr_number', (card) => card.pr_number],
  ['pr_url', (card) => card.pr_url],
  ['pr_state', (card) => card.pr_state],
  ['source', (card) => card.source],
  ['client_ref', (card) => card.client_ref],
  ['created_at', (card) => card.created_at],
  ['updated_at', (card) => card.updated_at],
  ['started_at', (card) => card.started_at],
  ['completed_at', (card) => card.completed_at],
]

export const csvHeader = `${cells.map(([name]) => name).join(',')}\r\n`

export const csvLine = (card: CsvCard, at: Place): string =>
  `${cells.map(([, read]) => csvCell(read(card, at))).join(',')}\r\n`

/** Spreadsheets evaluate such a text, also when it is quoted, and what a guest wrote would run at a member's desk. */
const formula = /^[=+\-@\p{Cc}＝＋－＠]/u

export function csvCell(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
