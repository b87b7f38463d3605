import { boardKeyTaken } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { Crossed, violates } from '#platform/db/pg-errors.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface BoardRow {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly board_type: string
  readonly description: string
  readonly project_id: string | null
  readonly card_count: number
  readonly wip_limits: 'shown' | 'enforced'
  readonly created_at: string
  readonly updated_at: string
  readonly archived_at: string | null
}

/** Times of what is written under the lock are the moment it was had: one clock, and one time for one write. */
export interface LockedBoard extends BoardRow {
  readonly locked_at: string
}

const columns = `id, key, name, board_type, description, project_id, card_count, wip_limits, created_at,
  updated_at, archived_at`
type One = { brand_id: number; id: string }

const find = sqlStatement<One, BoardRow>(
  `select ${columns} from boards.boards where brand_id = $1 and id = $2`,
  'brand_id',
  'id',
)
// Everything that is written on a board waits here for its turn.
const lock = sqlStatement<One, BoardRow>(
  `select ${columns} from boards.boards where brand_id = $1 and id = $2 for no key update`,
  'brand_id',
  'id',
)
// In the order of ids, so that two that want some of the same boards never wait for each other.
const lockAll = sqlStatement<{ brand_id: number; ids: readonly string[] }, LockedBoard>(
  `select ${columns}, platform.clock_now() as locked_at from boards.boards where brand_id = $1 and id = any($2::uuid[]) order by id for no key update`,
  'brand_id',
  'ids',
)
type Filter = { brand_id: number; board_type: string | null }
// Two statements and not a parameter, so that each is served by an index of its own.
const listed = (which: 'is null' | 'is not null') => {
  const filter = `where brand_id = $1 and archived_at ${which} and ($2::text is null or board_type = $2)`
  return {
    page: sqlStatement<Filter & { limit: number; offset: number }, BoardRow>(
      `select ${columns} from boards.boards ${filter} order by name, id limit $3 offset $4`,
      'brand_id',
      'board_type',
      'limit',
      'offset',
    ),
    count: sqlStatement<Filter, { count: number }>(
      `select count(*)::int as count from boards.boards ${filter}`,
      'brand_id',
      'board_type',
    ),
  }
}
const open = listed('is null')
const archived = listed('is not null')
// Those that open one at the same moment count one after the other.
const lockCount = sqlStatement<{ brand_id: number }, unknown>(
  `select pg_advisory_xact_lock(hashtext('boards.boards'), $1)`,
  'brand_id',
)
// Boards that are put away hold nothing.
const countOfType = sqlStatement<{ brand_id: number; board_type: string }, { count: number }>(
  'select count(*)::int as count from boards.boards where brand_id = $1 and board_type = $2',
  'brand_id',
  'board_type',
)
const exists = sqlStatement<{ id: string }, { id: string }>(
  'select id from boards.board_ids where id = $1',
  'id',
)
const add = sqlStatement<
  {
    brand_id: number
    key: string
    name: string
    board_type: string
    description: string
    wip_limits: string
  },
  BoardRow
>(
  `with made as (
     insert into boards.boards (brand_id, key, name, board_type, description, wip_limits)
     values ($1, $2, $3, $4, $5, $6) returning ${columns}
   ), listed as (insert into boards.board_ids (id) select id from made)
   select ${columns} from made`,
  'brand_id',
  'key',
  'name',
  'board_type',
  'description',
  'wip_limits',
)
interface Written {
  readonly name: string
  readonly board_type: string
  readonly description: string
  readonly wip_limits: string
}
const update = sqlStatement<One & Written, BoardRow>(
  `update boards.boards set name = $3, board_type = $4, description = $5, wip_limits = $6, updated_at = platform.clock_now()
   where brand_id = $1 and id = $2 returning ${columns}`,
  'brand_id',
  'id',
  'name',
  'board_type',
  'description',
  'wip_limits',
)
const setArchived = sqlStatement<One & { archived: boolean }, BoardRow>(
  `update boards.boards set archived_at = case when $3 then platform.clock_now() end,
     updated_at = platform.clock_now()
   where brand_id = $1 and id = $2 returning ${columns}`,
  'brand_id',
  'id',
  'archived',
)
const takeNumber = sqlStatement<One, LockedBoard & { number: number }>(
  `update boards.boards set next_number = next_number + 1, card_count = card_count + 1
   where brand_id = $1 and id = $2 returning ${columns}, next_number - 1 as number,
     platform.clock_now() as locked_at`,
  'brand_id',
  'id',
)
const addCount = sqlStatement<One & { more: number }, unknown>(
  'update boards.boards set card_count = card_count + $3 where brand_id = $1 and id = $2',
  'brand_id',
  'id',
  'more',
)

export const findBoard = (ctx: BrandCtx, id: string) => ctx.db.first(find, { brand_id: ctx.brandId, id })
/** Writers of one board come one after the other, and most of those that wait hold no connection. */
export const lockBoard = (ctx: BrandTx, id: string) =>
  ctx.inTurn('board', [id], () => ctx.db.first(lock, { brand_id: ctx.brandId, id }))

/** By id. */
export type LockedBoards = ReadonlyMap<string, LockedBoard>
/** All that a transaction will write on, at once: a board that is locked later may be waited for in a circle. */
export async function lockBoards(ctx: BrandTx, ids: readonly string[]): Promise<LockedBoards> {
  const all = [...new Set(ids)]
  const rows = await ctx.inTurn('board', all, () => ctx.db.all(lockAll, { brand_id: ctx.brandId, ids: all }))
  return new Map(rows.map((row) => [row.id, row]))
}
/** What was read before the locks does not hold any more, so the whole transaction has to run again. */
export const lockedTooFew = (): Error => new Crossed('a board is needed that was not locked')

interface Which {
  readonly board_type: string | null
  readonly archived: boolean
}
export const listBoards = (
  ctx: BrandCtx,
  { archived: away, ...page }: Which & { limit: number; offset: number },
) => ctx.db.all((away ? archived : open).page, { brand_id: ctx.brandId, ...page })
export const countBoards = async (ctx: BrandCtx, { archived: away, board_type }: Which) =>
  (await ctx.db.first((away ? archived : open).count, { brand_id: ctx.brandId, board_type }))?.count ?? 0
export const lockBoardCount = (ctx: BrandTx) => ctx.db.run(lockCount, { brand_id: ctx.brandId })
export const countBoardsOfType = async (ctx: BrandCtx, board_type: string) =>
  (await ctx.db.first(countOfType, { brand_id: ctx.brandId, board_type }))?.count ?? 0
/** Whether any workspace has a board with this id. */
export const hasBoardAnywhere = async (ctx: BrandCtx, id: string) =>
  (await ctx.db.first(exists, { id })) !== undefined

export async function insertBoard(
  ctx: BrandTx,
  board: Written & { readonly key: string },
): Promise<BoardRow | undefined> {
  try {
    return await ctx.db.first(add, { brand_id: ctx.brandId, ...board })
  } catch (error) {
    if (violates(error, 'boards_key_key')) throw boardKeyTaken()
    throw error
  }
}
export const updateBoard = (ctx: BrandTx, id: string, board: Written) =>
  ctx.db.first(update, { brand_id: ctx.brandId, id, ...board })
export const updateArchived = (ctx: BrandTx, id: string, archived: boolean) =>
  ctx.db.first(setArchived, { brand_id: ctx.brandId, id, archived })
/** Counts the card as well, and locks the board as `lockBoard` does. */
export const updateNextNumber = (ctx: BrandTx, id: string) =>
  ctx.inTurn('board', [id], () => ctx.db.first(takeNumber, { brand_id: ctx.brandId, id }))
export const updateCardCount = (ctx: BrandTx, id: string, more: number) =>
  ctx.db.run(addCount, { brand_id: ctx.brandId, id, more })
