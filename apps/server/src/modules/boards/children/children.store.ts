import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import { type StandardRow, type SummaryRow, summaryFields } from '../card-data/cards.store.ts'

export interface ChildRow extends SummaryRow, Pick<StandardRow, 'board_id' | 'priority' | 'estimate'> {
  readonly key: string
  readonly board: string
}

// Rows are fetched one by one, by key: a card has few relations, and the planner does not know that.
const children = brandStatement<{ id: string }, ChildRow>(
  (p) => sql`select ${summaryFields}, c.board_id, c.priority, c.estimate, b.key, b.name as board
   from boards.relations r
   cross join lateral (select * from boards.cards c where c.brand_id = ${p.brand_id} and c.id = r.other_id limit 1) c
   join boards.columns k on k.brand_id = ${p.brand_id} and k.id = c.column_id
   join boards.boards b on b.brand_id = ${p.brand_id} and b.id = c.board_id
   where r.brand_id = ${p.brand_id} and r.card_id = ${p.id} and r.kind = 'parent' and c.archived_at is null
   order by r.created_at, r.other_id`,
)

export const listChildCards = (ctx: BrandCtx, id: string) => ctx.db.all(children, { id })
