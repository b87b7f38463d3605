import type { Actor, CardStatus } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

type Place = { brand_id: number; board_id: string; column_id: string }

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
const next = sqlStatement<Place & { status: string; rank: string; limit: number }, Candidate>(
  `select id, rank from boards.cards
   where brand_id = $1 and board_id = $2 and column_id = $3 and status <> $4 and rank > $5 order by rank limit $6`,
  'brand_id',
  'board_id',
  'column_id',
  'status',
  'rank',
  'limit',
)
const first = sqlStatement<Place & { limit: number }, Candidate>(
  `select id, rank from boards.cards where brand_id = $1 and board_id = $2 and column_id = $3 order by rank limit $4`,
  'brand_id',
  'board_id',
  'column_id',
  'limit',
)
const countAll = sqlStatement<Place, { count: number }>(
  `select count(*)::int as count from boards.cards where brand_id = $1 and board_id = $2 and column_id = $3`,
  'brand_id',
  'board_id',
  'column_id',
)
const lock = sqlStatement<Place & { ids: readonly string[] }, BittenRow>(
  `select id, rank, board_id, status, archived_at, claim_epoch, claim_holder,
     coalesce(claim_expires_at > platform.clock_now(), false) as is_claimed
   from boards.cards
   where brand_id = $1 and board_id = $2 and column_id = $3 and id = any($4::uuid[])
   order by id for no key update`,
  'brand_id',
  'board_id',
  'column_id',
  'ids',
)
// As `deriveTimes` says it of one card.
const change = sqlStatement<
  Place & { status: string; cards: readonly string[]; ranks: readonly string[]; updated_by: string },
  unknown
>(
  `update boards.cards c set column_id = $3, status = $4, rank = n.rank, version = c.version + 1,
     moved_at = case when c.column_id = $3 then c.moved_at else t.now end, updated_at = t.now, updated_by = $7::jsonb,
     started_at = coalesce(c.started_at, case when $4 = 'in_progress' then t.now end),
     completed_at = case when $4 in ('done', 'canceled') then
       coalesce(case when c.status in ('done', 'canceled') then c.completed_at end, t.now) end
   from unnest($5::uuid[], $6::text[]) as n (id, rank), (select platform.clock_now() as now) t
   where c.brand_id = $1 and c.board_id = $2 and c.id = n.id`,
  'brand_id',
  'board_id',
  'column_id',
  'status',
  'cards',
  'ranks',
  'updated_by',
)

export interface CardsOfColumn {
  readonly board_id: string
  readonly column_id: string
}
/** Those whose status is not this one yet. */
export const listCardsOfOtherStatus = (
  ctx: BrandCtx,
  at: CardsOfColumn & { status: string; rank: string; limit: number },
) => ctx.db.all(next, { brand_id: ctx.brandId, ...at })
export const listFirstCards = (ctx: BrandCtx, at: CardsOfColumn & { limit: number }) =>
  ctx.db.all(first, { brand_id: ctx.brandId, ...at })
/** Archived ones as well. */
export const countCards = async (ctx: BrandCtx, at: CardsOfColumn) =>
  (await ctx.db.first(countAll, { brand_id: ctx.brandId, ...at }))?.count ?? 0
/** Of these, those that are still in the column. */
export const lockCardsOfColumn = (ctx: BrandTx, at: CardsOfColumn & { ids: readonly string[] }) =>
  ctx.db.all(lock, { brand_id: ctx.brandId, ...at })
/** To this column, with its status. */
export const updateColumnOfCards = (
  ctx: BrandTx,
  to: CardsOfColumn & {
    status: string
    cards: readonly string[]
    ranks: readonly string[]
    updated_by: Actor
  },
) => ctx.db.run(change, { brand_id: ctx.brandId, ...to, updated_by: JSON.stringify(to.updated_by) })
