import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { ExportCard, ExportSummary } from './export.rules.ts'

export interface ColumnWalk {
  readonly board_id: string
  readonly column_id: string
  /** Of the last one that was read; ranks are unique within a column, archived cards included. */
  readonly rank: string
  readonly limit: number
}

export const after = <Row>(fields: string) =>
  brandStatement<ColumnWalk, Row & { readonly rank: string }>(
    (p) => sql`select rank, ${fields} from boards.cards c
     where brand_id = ${p.brand_id} and board_id = ${p.board_id} and column_id = ${p.column_id}
       and rank > ${p.rank} and archived_at is null
     order by rank limit ${p.limit}`,
  )
const summary = 'number, title, assignee, branch, pr_number'
const summaries = after<ExportSummary>(summary)
export interface SectionRow extends ExportCard {
  readonly id: string
  readonly items_total: number
}
const cards = after<SectionRow>(
  `${summary}, id, items_total, status, task_type, priority, labels, due_at, description`,
)

export const listSummariesAfter = (ctx: BrandCtx, at: ColumnWalk) => ctx.db.all(summaries, at)
export const listCardsAfter = (ctx: BrandCtx, at: ColumnWalk) => ctx.db.all(cards, at)
