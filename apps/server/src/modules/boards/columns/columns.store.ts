import type { CardStatus } from '@crewhall/contracts/boards/card-fields.ts'
import { columnNameTaken } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface ColumnRow {
  readonly id: string
  readonly board_id: string
  readonly name: string
  readonly name_key: string
  readonly status: CardStatus
  readonly rank: string
  readonly wip_limit: number | null
  readonly card_count: number
  /** Cards that have not taken over its status yet, or have not left it yet. */
  readonly cards_changing: number
  /** Where its cards go before it is removed. */
  readonly moving_to: string | null
}

const columns = 'id, board_id, name, name_key, status, rank, wip_limit, card_count, cards_changing, moving_to'
type One = { brand_id: number; id: string }

// At most 50 for a board, so there is nothing to page.
const list = sqlStatement<{ brand_id: number; board_id: string }, ColumnRow>(
  `select ${columns} from boards.columns where brand_id = $1 and board_id = $2 order by rank, id`,
  'brand_id',
  'board_id',
)
// Archived cards keep their rank, so the last is looked for among them too.
const listWithLast = sqlStatement<
  { brand_id: number; board_id: string },
  ColumnRow & { last_rank: string | null }
>(
  `select ${columns}, (select c.rank from boards.cards c
     where c.brand_id = $1 and c.board_id = $2 and c.column_id = k.id order by c.rank desc limit 1) as last_rank
   from boards.columns k where brand_id = $1 and board_id = $2 order by rank, id`,
  'brand_id',
  'board_id',
)
const find = sqlStatement<One, ColumnRow>(
  `select ${columns} from boards.columns where brand_id = $1 and id = $2`,
  'brand_id',
  'id',
)
interface Written {
  readonly name: string
  readonly name_key: string
  readonly status: string
  readonly rank: string
  readonly wip_limit: number | null
}
const add = sqlStatement<Written & { brand_id: number; board_id: string }, ColumnRow>(
  `insert into boards.columns (brand_id, board_id, name, name_key, status, rank, wip_limit)
   values ($1, $2, $3, $4, $5, $6, $7) returning ${columns}`,
  'brand_id',
  'board_id',
  'name',
  'name_key',
  'status',
  'rank',
  'wip_limit',
)
const update = sqlStatement<Written & One, ColumnRow>(
  `update boards.columns set name = $3, name_key = $4, status = $5, rank = $6, wip_limit = $7
   where brand_id = $1 and id = $2 returning ${columns}`,
  'brand_id',
  'id',
  'name',
  'name_key',
  'status',
  'rank',
  'wip_limit',
)
const addCount = sqlStatement<One & { more: number }, unknown>(
  'update boards.columns set card_count = card_count + $3 where brand_id = $1 and id = $2',
  'brand_id',
  'id',
  'more',
)
const setChanging = sqlStatement<One & { left: number }, unknown>(
  'update boards.columns set cards_changing = $3 where brand_id = $1 and id = $2',
  'brand_id',
  'id',
  'left',
)
const setMoving = sqlStatement<One & { to: string; left: number }, unknown>(
  'update boards.columns set moving_to = $3, cards_changing = $4 where brand_id = $1 and id = $2',
  'brand_id',
  'id',
  'to',
  'left',
)
const remove = sqlStatement<One, unknown>(
  'delete from boards.columns where brand_id = $1 and id = $2',
  'brand_id',
  'id',
)

export const listColumns = (ctx: BrandCtx, board_id: string) =>
  ctx.db.all(list, { brand_id: ctx.brandId, board_id })
/** Each with the rank of its last card. */
export const listColumnsWithLast = (ctx: BrandTx, board_id: string) =>
  ctx.db.all(listWithLast, { brand_id: ctx.brandId, board_id })
export const findColumn = (ctx: BrandCtx, id: string) => ctx.db.first(find, { brand_id: ctx.brandId, id })
export const insertColumn = (ctx: BrandTx, board_id: string, column: Written) =>
  named(() => ctx.db.first(add, { brand_id: ctx.brandId, board_id, ...column }))
export const updateColumn = (ctx: BrandTx, id: string, column: Written) =>
  named(() => ctx.db.first(update, { brand_id: ctx.brandId, id, ...column }))
/** Only under the lock of the board. */
export const updateColumnCount = (ctx: BrandTx, id: string, more: number) =>
  ctx.db.run(addCount, { brand_id: ctx.brandId, id, more })
export const updateChanging = (ctx: BrandTx, id: string, left: number) =>
  ctx.db.run(setChanging, { brand_id: ctx.brandId, id, left })
export const updateMovingTo = (ctx: BrandTx, id: string, to: string, left: number) =>
  ctx.db.run(setMoving, { brand_id: ctx.brandId, id, to, left })
export const deleteColumn = (ctx: BrandTx, id: string) => ctx.db.run(remove, { brand_id: ctx.brandId, id })

async function named<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (violates(error, 'columns_name_key')) throw columnNameTaken()
    throw error
  }
}
