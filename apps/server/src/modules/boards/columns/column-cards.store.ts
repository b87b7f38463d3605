import type { Actor, CardStatus } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

type ColumnRef = { board_id: string; column_id: string }

export interface Candidate {
  readonly id: string
  readonly rank: string
}
/** A card that is to be changed, as it was before. */
export interface BittenRow extends Candidate {
  readonly board_id: string
  readonly status: CardStatus
  readonly archived_at: string | null
  readonly is_claimed: boolean
  readonly claim_epoch: number
  readonly claim_holder: Actor | null
}

// Archived cards as well, in their order. From rank to rank, so that those already changed are not walked over again.
const next = brandStatement<ColumnRef & { status: string; rank: string; limit: number }, Candidate>(
  (p) => sql`select id, rank from boards.cards
   where brand_id = ${p.brand_id} and board_id = ${p.board_id} and column_id = ${p.column_id}
     and status <> ${p.status} and rank > ${p.rank} order by rank limit ${p.limit}`,
)
const first = brandStatement<ColumnRef & { limit: number }, Candidate>(
  (p) => sql`select id, rank from boards.cards where brand_id = ${p.brand_id} and board_id = ${p.board_id}
     and column_id = ${p.column_id} order by rank limit ${p.limit}`,
)
const countAll = brandStatement<ColumnRef, { count: number }>(
  (p) => sql`select count(*)::int as count from boards.cards where brand_id = ${p.brand_id}
     and board_id = ${p.board_id} and column_id = ${p.column_id}`,
)
const lock = brandStatement<ColumnRef & { ids: readonly string[] }, BittenRow>(
  (p) => sql`select id, rank, board_id, status, archived_at, claim_epoch, claim_holder,
     coalesce(claim_expires_at > platform.clock_now(), false) as is_claimed
   from boards.cards
   where brand_id = ${p.brand_id} and board_id = ${p.board_id} and column_id = ${p.column_id}
     and id = any(${p.ids}::uuid[])
   order by id for no key update`,
)
// As `deriveTimes` says it of one card.
const change = brandStatement<
  ColumnRef & { status: string; cards: readonly string[]; ranks: readonly string[]; updated_by: string },
  unknown
>(
  (p) => sql`update boards.cards c set column_id = ${p.column_id}, status = ${p.status},
     rank = n.rank, version = c.version + 1,
     moved_at = case when c.column_id = ${p.column_id} then c.moved_at else t.now end,
       updated_at = t.now, updated_by = ${p.updated_by}::jsonb,
     started_at = coalesce(c.started_at, case when ${p.status} = 'in_progress' then t.now end),
     completed_at = case when ${p.status} in ('done', 'canceled') then
       coalesce(case when c.status = ${p.status} then c.completed_at end, t.now) end
   from unnest(${p.cards}::uuid[], ${p.ranks}::text[]) as n (id, rank), (select platform.clock_now() as now) t
   where c.brand_id = ${p.brand_id} and c.board_id = ${p.board_id} and c.id = n.id`,
)

export interface CardsOfColumn {
  readonly board_id: string
  readonly column_id: string
}
/** Those whose status is not this one yet. */
export const listCardsOfOtherStatus = (
  ctx: BrandCtx,
  at: CardsOfColumn & { status: string; rank: string; limit: number },
) => ctx.db.all(next, { ...at })
export const listFirstCards = (ctx: BrandCtx, at: CardsOfColumn & { limit: number }) =>
  ctx.db.all(first, { ...at })
/** Archived ones as well. */
export const countCards = async (ctx: BrandCtx, at: CardsOfColumn) =>
  (await ctx.db.first(countAll, { ...at }))?.count ?? 0
/** Of these, those that are still in the column. */
export const lockCardsOfColumn = (ctx: BrandTx, at: CardsOfColumn & { ids: readonly string[] }) =>
  ctx.db.all(lock, { ...at })
/** To this column, with its status. */
export const updateColumnOfCards = (
  ctx: BrandTx,
  to: CardsOfColumn & {
    status: string
    cards: readonly string[]
    ranks: readonly string[]
    updated_by: Actor
  },
) => ctx.db.run(change, { ...to, updated_by: JSON.stringify(to.updated_by) })
