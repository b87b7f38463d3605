import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface Counts {
  readonly claimed: number
  readonly blocked: number
  readonly done_last_7_days: number
}

// Each from an index that holds only such cards, so a large board costs no more than what is counted.
const counts = brandStatement<{ board_id: string }, Counts>(
  (p) => sql`select
     (select count(*)::int from boards.cards c where c.brand_id = ${p.brand_id} and c.board_id = ${p.board_id}
       and c.claim_id is not null and c.archived_at is null
       and c.claim_expires_at > platform.clock_now()) as claimed,
     (select count(*)::int from boards.cards c where c.brand_id = ${p.brand_id} and c.board_id = ${p.board_id}
       and c.open_blockers > 0 and c.archived_at is null and c.completed_at is null) as blocked,
     (select count(*)::int from boards.cards c where c.brand_id = ${p.brand_id} and c.board_id = ${p.board_id}
       and c.status = 'done' and c.archived_at is null
       and c.completed_at > platform.now() - interval '7 days') as done_last_7_days`,
)

export const countCards = (ctx: BrandCtx, board_id: string) => ctx.db.first(counts, { board_id })
