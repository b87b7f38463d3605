import type { BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

type Place = { brand_id: number; board_id: string; column_id: string }

const ids = sqlStatement<Place & { limit: number }, { id: string }>(
  `select id from boards.cards where brand_id = $1 and board_id = $2 and column_id = $3 order by rank limit $4`,
  'brand_id',
  'board_id',
  'column_id',
  'limit',
)
const carry = sqlStatement<
  Place & { status: string; cards: readonly string[]; ranks: readonly string[] },
  unknown
>(
  `update boards.cards c set column_id = $3, status = $4, rank = n.rank, version = c.version + 1,
     moved_at = platform.clock_now(), updated_at = platform.clock_now()
   from unnest($5::uuid[], $6::text[]) as n (id, rank)
   where c.brand_id = $1 and c.board_id = $2 and c.id = n.id`,
  'brand_id',
  'board_id',
  'column_id',
  'status',
  'cards',
  'ranks',
)
const setStatus = sqlStatement<Place & { status: string }, unknown>(
  `update boards.cards set status = $4, version = version + 1, updated_at = platform.clock_now()
   where brand_id = $1 and board_id = $2 and column_id = $3`,
  'brand_id',
  'board_id',
  'column_id',
  'status',
)

/** Archived cards as well, in their order. */
export const listCardIdsOfColumn = async (ctx: BrandTx, board_id: string, column_id: string, limit: number) =>
  (await ctx.db.all(ids, { brand_id: ctx.brandId, board_id, column_id, limit })).map(({ id }) => id)
export const updateColumnOfCards = (
  ctx: BrandTx,
  to: {
    board_id: string
    column_id: string
    status: string
    cards: readonly string[]
    ranks: readonly string[]
  },
) => ctx.db.run(carry, { brand_id: ctx.brandId, ...to })
export const updateStatusOfColumn = (ctx: BrandTx, board_id: string, column_id: string, status: string) =>
  ctx.db.run(setStatus, { brand_id: ctx.brandId, board_id, column_id, status })
