import type { CardStatus } from '@crewhall/contracts/boards/card-fields.ts'
import { columnNameTaken } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

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
type One = { id: string }

// At most 50 for a board, so there is nothing to page.
const list = brandStatement<{ board_id: string }, ColumnRow>(
  (p) => sql`select ${columns} from boards.columns where brand_id = ${p.brand_id} and board_id = ${p.board_id}
     order by rank, id`,
)
// Archived cards keep their rank, so the last one may be archived.
const listWithLast = brandStatement<{ board_id: string }, ColumnRow & { last_rank: string | null }>(
  (p) => sql`select ${columns}, (select c.rank from boards.cards c
     where c.brand_id = ${p.brand_id} and c.board_id = ${p.board_id} and c.column_id = k.id order by c.rank desc
       limit 1) as last_rank
   from boards.columns k where brand_id = ${p.brand_id} and board_id = ${p.board_id} order by rank, id`,
)
const find = brandStatement<One, ColumnRow>(
  (p) => sql`select ${columns} from boards.columns where brand_id = ${p.brand_id} and id = ${p.id}`,
)
interface Written {
  readonly name: string
  readonly name_key: string
  readonly status: string
  readonly rank: string
  readonly wip_limit: number | null
}
const add = brandStatement<Written & { board_id: string }, ColumnRow>(
  (p) => sql`insert into boards.columns (brand_id, board_id, name, name_key, status, rank, wip_limit)
   values (${p.brand_id}, ${p.board_id}, ${p.name}, ${p.name_key}, ${p.status}, ${p.rank}, ${p.wip_limit})
     returning ${columns}`,
)
const update = brandStatement<Written & One, ColumnRow>(
  (p) => sql`update boards.columns set name = ${p.name}, name_key = ${p.name_key},
     status = ${p.status}, rank = ${p.rank}, wip_limit = ${p.wip_limit}
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)
const addCount = brandStatement<One & { more: number }, unknown>(
  (p) => sql`update boards.columns set card_count = card_count + ${p.more} where brand_id = ${p.brand_id}
     and id = ${p.id}`,
)
const raiseRanks = brandStatement<One, unknown>(
  (p) => sql`update boards.columns set ranks_version = ranks_version + 1
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
// At most 50 of a board, whose order is looked at when the transaction ends.
const spread = brandStatement<
  { board_id: string; ids: readonly string[]; ranks: readonly string[] },
  unknown
>(
  (p) => sql`update boards.columns k set rank = s.rank
   from unnest(${p.ids}::uuid[], ${p.ranks}::text[]) as s (id, rank)
   where k.brand_id = ${p.brand_id} and k.board_id = ${p.board_id} and k.id = s.id`,
)
const setChanging = brandStatement<One & { left: number }, unknown>(
  (p) => sql`update boards.columns set cards_changing = ${p.left} where brand_id = ${p.brand_id}
     and id = ${p.id}`,
)
const setMoving = brandStatement<One & { to: string; left: number }, unknown>(
  (p) => sql`update boards.columns set moving_to = ${p.to}, cards_changing = ${p.left}
     where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const remove = brandStatement<One, unknown>(
  (p) => sql`delete from boards.columns where brand_id = ${p.brand_id} and id = ${p.id}`,
)

export const listColumns = (ctx: BrandCtx, board_id: string) => ctx.db.all(list, { board_id })
/** Each with the rank of its last card. */
export const listColumnsWithLast = (ctx: BrandTx, board_id: string) => ctx.db.all(listWithLast, { board_id })
export const findColumn = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const insertColumn = (ctx: BrandTx, board_id: string, column: Written) =>
  named(() => ctx.db.first(add, { board_id, ...column }))
export const updateColumn = (ctx: BrandTx, id: string, column: Written) =>
  named(() => ctx.db.first(update, { id, ...column }))
/** Cards of the column have other ranks now, in the same order. */
export const updateRanksVersion = (ctx: BrandTx, id: string) => ctx.db.run(raiseRanks, { id })
/** Only under the lock of the board. */
export const updateColumnCount = (ctx: BrandTx, id: string, more: number) =>
  ctx.db.run(addCount, { id, more })
export const updateColumnRanks = (
  ctx: BrandTx,
  board_id: string,
  columns: readonly Pick<ColumnRow, 'id' | 'rank'>[],
) =>
  ctx.db.run(spread, {
    board_id,
    ids: columns.map(({ id }) => id),
    ranks: columns.map(({ rank }) => rank),
  })
export const updateChanging = (ctx: BrandTx, id: string, left: number) =>
  ctx.db.run(setChanging, { id, left })
export const updateMovingTo = (ctx: BrandTx, id: string, to: string, left: number) =>
  ctx.db.run(setMoving, { id, to, left })
export const deleteColumn = (ctx: BrandTx, id: string) => ctx.db.run(remove, { id })

async function named<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (violates(error, 'columns_name_key')) throw columnNameTaken()
    throw error
  }
}
