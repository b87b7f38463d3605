import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'
import type { ExportCard, ExportSummary } from './export.rules.ts'

interface Place {
  readonly board_id: string
  readonly column_id: string
  /** Of the last one that was read; ranks are unique within a column, archived cards included. */
  readonly rank: string
  readonly limit: number
}

const after = <Row>(fields: string) =>
  sqlStatement<Place & { brand_id: number }, Row & { readonly rank: string }>(
    `select rank, ${fields} from boards.cards
     where brand_id = $1 and board_id = $2 and column_id = $3 and rank > $4 and archived_at is null
     order by rank limit $5`,
    'brand_id',
    'board_id',
    'column_id',
    'rank',
    'limit',
  )
const summary = 'number, title, assignee, branch, pr_number'
const summaries = after<ExportSummary>(summary)
const cards = after<ExportCard>(`${summary}, status, task_type, priority, labels, due_at, description`)

export const listSummariesAfter = (ctx: BrandCtx, at: Place) =>
  ctx.db.all(summaries, { brand_id: ctx.brandId, ...at })
export const listCardsAfter = (ctx: BrandCtx, at: Place) =>
  ctx.db.all(cards, { brand_id: ctx.brandId, ...at })
