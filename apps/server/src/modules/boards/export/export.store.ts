import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'
import type { ExportCard } from './export.rules.ts'

export interface ExportRow extends ExportCard {
  readonly id: string
  readonly rank: string
}

const after = sqlStatement<
  { brand_id: number; board_id: string; column_id: string; rank: string; limit: number },
  ExportRow
>(
  `select id, rank, number, title, status, task_type, priority, labels, assignee, branch, pr_number, due_at,
     description
   from boards.cards
   where brand_id = $1 and board_id = $2 and column_id = $3 and rank > $4 and archived_at is null
   order by rank limit $5`,
  'brand_id',
  'board_id',
  'column_id',
  'rank',
  'limit',
)

/** Ranks are unique within a column, archived cards included. */
export const listCardsAfter = (
  ctx: BrandCtx,
  at: { board_id: string; column_id: string; rank: string; limit: number },
) => ctx.db.all(after, { brand_id: ctx.brandId, ...at })
