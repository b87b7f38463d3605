import type { CardStatus, Worker } from '@crewhall/contracts/boards/card-fields.ts'

export interface ExportSummary {
  readonly number: number
  readonly title: string
  readonly assignee: Worker | null
  readonly branch: string | null
  readonly pr_number: number | null
}
export interface ExportCard extends ExportSummary {
  readonly status: CardStatus
  readonly task_type: string
  readonly priority: string
  readonly labels: readonly string[]
  readonly due_at: string | null
  readonly description: string
}

/** Nothing in a text may become markup or start a line: a title cannot forge a heading. */
const inline = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replace(/[\\`*_[\]<>|#~!&]/g, '\\$&')

/** Every line of a longer text is quoted, so it stays where it belongs. */
const quoted = (text: string): string =>
  text
    .split(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/)
    .map((line) => `> ${inline(line)}`.trimEnd())
    .join('\n')

export const boardHeading = (board: { name: string; key: string; description: string }): string =>
  `# ${inline(board.name)} (${board.key})\n\n${board.description === '' ? '' : `${quoted(board.description)}\n\n`}`

export const columnHeading = (column: { name: string; status: CardStatus }, count: number): string =>
  `## ${inline(column.name)} (${column.status}, ${count})\n\n`

export const summaryLine = (key: string, card: ExportSummary): string =>
  `- ${key}-${card.number} ${inline(card.title)}${delivery(card)}\n`

function delivery({ assignee, branch, pr_number }: ExportSummary): string {
  const facts = [
    ...(assignee ? [inline(assignee.name)] : []),
    ...(branch === null ? [] : [inline(branch)]),
    ...(pr_number === null ? [] : [`PR ${pr_number}`]),
  ]
  return facts.length > 0 ? ` (${facts.join(', ')})` : ''
}

interface ExportItem {
  readonly text: string
  readonly done_at: string | null
}
const checklist = (items: readonly ExportItem[]): string =>
  items.length === 0
    ? ''
    : `- Checklist:\n${items.map(({ text, done_at }) => `  - [${done_at === null ? ' ' : 'x'}] ${inline(text)}\n`).join('')}`

/** No clock, no locale, no time of export: the same state gives the same bytes (BRD-42). */
export function cardSection(key: string, card: ExportCard, items: readonly ExportItem[]): string {
  const facts: [string, string | null][] = [
    ['Status', card.status],
    ['Type', card.task_type],
    ['Priority', card.priority === 'none' ? null : card.priority],
    ['Labels', card.labels.length > 0 ? card.labels.map(inline).join(', ') : null],
    ['Assignee', card.assignee && inline(card.assignee.name)],
    ['Branch', card.branch && inline(card.branch)],
    ['PR', card.pr_number === null ? null : String(card.pr_number)],
    ['Due', card.due_at],
  ]
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : [`- ${name}: ${value}\n`]))
  const text = card.description === '' ? '' : `${quoted(card.description)}\n\n`
  return `### ${key}-${card.number} ${inline(card.title)}\n\n${lines.join('')}${checklist(items)}\n${text}`
}
