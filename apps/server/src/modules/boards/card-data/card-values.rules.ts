import type { Actor, FullCard, Worker } from '@crewhall/contracts/boards/card-fields.ts'
import type { CardChange } from '@crewhall/contracts/boards/cards.ts'
import { deriveChecklist } from './cards.rules.ts'

/** What a caller may write besides the column, with the values of a card that says nothing about it. */
const blank = {
  task_type: 'coding',
  priority: 'none',
  labels: [],
  estimate: null,
  description: '',
  blocked_reason: null,
  repository: null,
  branch: null,
  base_branch: null,
  commit_sha: null,
  pr_number: null,
  pr_url: null,
  pr_state: null,
  merged_at: null,
  agent_context: {},
  start_at: null,
  due_at: null,
} as const
const blankTexts = {
  instructions: '',
  acceptance_criteria: '',
  plan: '',
  notes: '',
  result: '',
  review: '',
  log: '',
}
type Plain = keyof typeof blank
type Long = keyof typeof blankTexts
const plainFields = Object.keys(blank) as Plain[]
const longFields = Object.keys(blankTexts) as Long[]

/** Fields that a receipt may list. */
export const receiptFields: readonly string[] = [
  'title',
  'status',
  'column',
  'assignee',
  'delegate',
  'source',
  ...plainFields,
  ...longFields,
]

export interface Settled {
  readonly column_id: string
  readonly rank: string
  readonly title: string
  readonly status: string
  readonly assignee: Worker | null
  readonly delegate: Worker | null
  readonly updated_by: Actor
  readonly source: FullCard['source']
  readonly started_at: string | null
  readonly completed_at: string | null
  readonly moved_at: string
  readonly updated_at: string
}

/** Columns that a change writes; objects as JSON. */
export type CardValues = Readonly<
  Record<Plain | keyof Settled | 'checklist_total' | 'checklist_done', unknown>
>

/** The row after a change: what was sent, else what stood there, else nothing. */
export function valuesAfter(
  before: Readonly<Record<Plain | Long, unknown>> | undefined,
  change: CardChange,
  settled: Settled,
) {
  // Copies of one object have its shape: a hundred of them are made in a third of the time of objects from entries.
  const plain: Record<Plain, unknown> = { ...blank }
  for (const field of plainFields) {
    const sent = change[field]
    plain[field] = sent === undefined ? (before?.[field] ?? blank[field]) : sent
  }
  const texts: Record<Long, string> = { ...blankTexts }
  for (const field of longFields)
    texts[field] = change[field] ?? (before?.[field] as string | undefined) ?? blankTexts[field]
  const labels = [...new Set(plain.labels as string[])]
  const values: CardValues = {
    ...plain,
    ...settled,
    ...deriveChecklist(texts.acceptance_criteria),
    labels,
    agent_context: JSON.stringify(plain.agent_context),
    assignee: asJson(settled.assignee),
    delegate: asJson(settled.delegate),
    updated_by: JSON.stringify(settled.updated_by),
  }
  return { values, texts }
}

const asJson = (value: object | null): string | null => (value === null ? null : JSON.stringify(value))
