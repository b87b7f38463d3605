import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface Spot {
  readonly board_id: string
  readonly column_id: string
}
export interface RankedCard {
  readonly id: string
  readonly rank: string
}
type Around = Spot & { rank: string; besides: string; limit: number }

// Archived cards keep their rank, so they count as neighbours too.
const lastRank = brandStatement<Spot, { rank: string }>(
  (p) => sql`select rank from boards.cards where brand_id = ${p.brand_id} and board_id = ${p.board_id}
     and column_id = ${p.column_id}
   order by rank desc limit 1`,
)
const beside = (side: '<' | '<=' | '>' | '>=') =>
  brandStatement<Around, RankedCard>(
    (p) => sql`select id, rank from boards.cards
     where brand_id = ${p.brand_id} and board_id = ${p.board_id} and column_id = ${p.column_id}
       and rank ${side} ${p.rank} and id <> ${p.besides}
     order by rank ${side.startsWith('<') ? 'desc' : 'asc'} limit ${p.limit}`,
  )
const before = beside('<')
const after = beside('>')
const upTo = beside('<=')
const from = beside('>=')
// Nobody has changed these cards, so their versions stay.
const spread = brandStatement<Spot & { ids: readonly string[]; ranks: readonly string[] }, unknown>(
  (p) => sql`update boards.cards c set rank = s.rank
   from unnest(${p.ids}::uuid[], ${p.ranks}::text[]) as s (id, rank)
   where c.brand_id = ${p.brand_id} and c.board_id = ${p.board_id} and c.column_id = ${p.column_id}
     and c.id = s.id`,
)

export const findLastRank = async (ctx: BrandTx, spot: Spot) =>
  (await ctx.db.first(lastRank, spot))?.rank ?? null
export const findRankBefore = async (ctx: BrandTx, spot: Spot & { rank: string; besides: string }) =>
  (await ctx.db.first(before, { ...spot, limit: 1 }))?.rank ?? null
export const findRankAfter = async (ctx: BrandTx, spot: Spot & { rank: string; besides: string }) =>
  (await ctx.db.first(after, { ...spot, limit: 1 }))?.rank ?? null
/** The nearest first. */
export const listUpTo = (ctx: BrandTx, around: Around) => ctx.db.all(upTo, around)
export const listFrom = (ctx: BrandTx, around: Around) => ctx.db.all(from, around)
/** Only under the lock of the board. None of the ranks may be one that a card of the column has. */
export const updateRanks = (ctx: BrandTx, spot: Spot, cards: readonly RankedCard[]) =>
  ctx.db.run(spread, { ...spot, ids: cards.map(({ id }) => id), ranks: cards.map(({ rank }) => rank) })
