import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface WorkFilter {
  readonly board_ids: readonly string[] | null
  readonly task_type: string | null
  readonly priorities: readonly string[] | null
  readonly labels: readonly string[] | null
}

export interface FoundWork {
  readonly id: string
  readonly board_id: string
}

// As in the index.
const urgency =
  "case c.priority when 'urgent' then 0 when 'high' then 1 when 'medium' then 2 when 'low' then 3 else 4 end"
// In the order of the index `cards_work`: what is most urgent, then due first, then higher in its column.
const first = brandStatement<WorkFilter, FoundWork>(
  (p) => sql`select c.id, c.board_id from boards.cards c
   join boards.boards b on b.brand_id = c.brand_id and b.id = c.board_id and b.archived_at is null
   where c.brand_id = ${p.brand_id} and c.archived_at is null and c.open_blockers = 0 and c.claim_id is null
     and c.status in ('pending', 'in_progress') and c.source <> 'guest' and c.source <> 'import'
     and (${p.board_ids}::uuid[] is null or c.board_id = any(${p.board_ids}))
     and (${p.task_type}::text is null or c.task_type = ${p.task_type})
     and (${p.priorities}::text[] is null or c.priority = any(${p.priorities}))
     and (${p.labels}::text[] is null or c.labels && ${p.labels})
   order by ${urgency}, c.due_at, c.rank, c.id limit 1`,
  // Most filters are absent, and a plan for any of them would sort all that is ready.
  { custom_plan: true },
)
// The same cards in the same order, for a look that takes nothing. What the index holds and nobody may take is walked over,
// up to a limit.
const ready = brandStatement<{ walked: number }, FoundWork>(
  (p) => sql`select w.id, w.board_id from (
     select c.id, c.board_id, c.source, row_number() over () as place from (
       select c.id, c.board_id, c.source from boards.cards c
       where c.brand_id = ${p.brand_id} and c.archived_at is null and c.open_blockers = 0 and c.claim_id is null
         and c.status in ('pending', 'in_progress') and c.source <> 'guest'
       order by ${urgency}, c.due_at, c.rank, c.id limit ${p.walked}) c) w
   join boards.boards b on b.brand_id = ${p.brand_id} and b.id = w.board_id and b.archived_at is null
   where w.source <> 'import' order by w.place limit 1`,
)
// One after the other in a workspace, so that each gets the most urgent card that is left.
const lock = brandStatement<object, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('boards.work'), ${p.brand_id})`,
)

export const findReady = (ctx: BrandCtx, walked: number) => ctx.db.first(ready, { walked })
export const findWork = (ctx: BrandTx, filter: WorkFilter) => ctx.db.first(first, { ...filter })
/** Most of those that wait hold no connection. */
export const lockWork = (ctx: BrandTx) => ctx.inTurn('board', ['work'], () => ctx.db.run(lock, {}))
