import { boardKeyTaken } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { Crossed, violates } from '#platform/db/pg-errors.ts'
import { brandStatement, type Named, sql, statement } from '#platform/db/statement.ts'

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

/** Of cards that are made together, all under the lock of their board. */
export interface TakenNumbers extends LockedBoard {
  /** Of the first. */
  readonly number: number
  /** Of the first entry; each further one is a microsecond later. */
  readonly stamped_at: string
  readonly activity_ids: readonly string[]
}

const columns = `id, key, name, board_type, description, project_id, card_count, wip_limits, created_at,
  updated_at, archived_at`
type One = { id: string }

const find = brandStatement<One, BoardRow>(
  (p) => sql`select ${columns} from boards.boards where brand_id = ${p.brand_id} and id = ${p.id}`,
)
// Everything that is written on a board waits here for its turn.
const lock = brandStatement<One, BoardRow>(
  (p) => sql`select ${columns} from boards.boards where brand_id = ${p.brand_id}
     and id = ${p.id} for no key update`,
)
// In the order of ids, so that two that want some of the same boards never wait for each other.
const lockAll = brandStatement<{ ids: readonly string[] }, LockedBoard>(
  (p) => sql`select ${columns}, platform.clock_now() as locked_at from boards.boards
     where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[]) order by id for no key update`,
)
type Filter = { board_type: string | null }
// Two statements and not a parameter, so that each is served by an index of its own.
const listed = (which: 'is null' | 'is not null') => {
  const filter = (p: Named<Filter & { brand_id: number }>) =>
    sql`where brand_id = ${p.brand_id} and archived_at ${which}
     and (${p.board_type}::text is null or board_type = ${p.board_type})`
  return {
    page: brandStatement<Filter & { limit: number; offset: number }, BoardRow>(
      (p) => sql`select ${columns} from boards.boards ${filter(p)} order by name, id
     limit ${p.limit} offset ${p.offset}`,
    ),
    count: brandStatement<Filter, { count: number }>(
      (p) => sql`select count(*)::int as count from boards.boards ${filter(p)}`,
    ),
  }
}
const open = listed('is null')
const archived = listed('is not null')
// Those that open one at the same moment count one after the other.
const lockCount = brandStatement<object, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('boards.boards'), ${p.brand_id})`,
)
// Archived boards do not count.
const countOfType = brandStatement<{ board_type: string }, { count: number }>(
  (p) => sql`select count(*)::int as count from boards.boards where brand_id = ${p.brand_id}
     and board_type = ${p.board_type}`,
)
const exists = statement<{ id: string }, { id: string }>(
  (p) => sql`select id from boards.board_ids where id = ${p.id}`,
)
const add = brandStatement<
  {
    key: string
    name: string
    board_type: string
    description: string
    project_id: string | null
    wip_limits: string
  },
  BoardRow
>(
  (p) => sql`with made as (
     insert into boards.boards (brand_id, key, name, board_type, description, project_id, wip_limits)
     values (${p.brand_id}, ${p.key}, ${p.name}, ${p.board_type}, ${p.description},
       ${p.project_id}::uuid, ${p.wip_limits}) returning ${columns}
   ), listed as (insert into boards.board_ids (id) select id from made)
   select ${columns} from made`,
)
interface Written {
  readonly name: string
  readonly board_type: string
  readonly description: string
  readonly project_id: string | null
  readonly wip_limits: string
}
const update = brandStatement<One & Written, BoardRow>(
  (p) => sql`update boards.boards set name = ${p.name}, board_type = ${p.board_type},
     description = ${p.description}, project_id = ${p.project_id}::uuid, wip_limits = ${p.wip_limits}, updated_at = platform.clock_now()
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)
const setArchived = brandStatement<One & { archived: boolean }, BoardRow>(
  (p) => sql`update boards.boards set archived_at = case when ${p.archived} then platform.clock_now() end,
     updated_at = platform.clock_now()
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)
// For several cards at once, with the ids and times of their feed entries, so that everything else can be sent
// together. Times increase like those of single entries.
const takeNumbers = brandStatement<One & { count: number }, TakenNumbers>(
  (
    p,
  ) => sql`update boards.boards set next_number = next_number + ${p.count}, card_count = card_count + ${p.count},
     last_activity_at = greatest(platform.clock_now(), last_activity_at + interval '1 microsecond')
       + (${p.count}::int - 1) * interval '1 microsecond'
   where brand_id = ${p.brand_id} and id = ${p.id}
   returning ${columns}, next_number - ${p.count} as number, platform.clock_now() as locked_at,
     last_activity_at - (${p.count}::int - 1) * interval '1 microsecond' as stamped_at,
     array(select nextval('boards.activity_id_seq')::text from generate_series(1, ${p.count})) as activity_ids`,
)
const addCount = brandStatement<One & { more: number }, unknown>(
  (p) => sql`update boards.boards set card_count = card_count + ${p.more} where brand_id = ${p.brand_id}
     and id = ${p.id}`,
)

export const findBoard = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
/** Writers of one board come one after the other, and most of those that wait hold no connection. */
export const lockBoard = (ctx: BrandTx, id: string) =>
  ctx.inTurn('board', [id], () => ctx.db.first(lock, { id }))

/** By id. */
export type LockedBoards = ReadonlyMap<string, LockedBoard>
/** Of transactions with several writes, all that they may write on. */
const lockedForAll = new WeakMap<BrandTx, LockedBoards>()

/** All that a transaction will write on, at once: a board that is locked later may be waited for in a circle. */
export async function lockBoards(ctx: BrandTx, ids: readonly string[]): Promise<LockedBoards> {
  const held = lockedForAll.get(ctx)
  if (!held) return lockNow(ctx, ids)
  if (ids.some((id) => !held.has(id))) throw lockedTooFew()
  return held
}

/** For several writes in one transaction, each of which locks its boards: they get these, and no others. */
export async function lockBoardsForAll(ctx: BrandTx, ids: readonly string[]): Promise<LockedBoards> {
  const locked = await lockNow(ctx, ids)
  lockedForAll.set(ctx, locked)
  return locked
}

async function lockNow(ctx: BrandTx, ids: readonly string[]): Promise<LockedBoards> {
  const all = [...new Set(ids)]
  const rows = await ctx.inTurn('board', all, () => ctx.db.all(lockAll, { ids: all }))
  return new Map(rows.map((row) => [row.id, row]))
}
/** What was read before the locks is out of date, so the whole transaction has to run again. */
export const lockedTooFew = (): Error => new Crossed('a board is needed that was not locked')

interface Which {
  readonly board_type: string | null
  readonly archived: boolean
}
export const listBoards = (
  ctx: BrandCtx,
  { archived: away, ...page }: Which & { limit: number; offset: number },
) => ctx.db.all((away ? archived : open).page, page)
export const countBoards = async (ctx: BrandCtx, { archived: away, board_type }: Which) =>
  (await ctx.db.first((away ? archived : open).count, { board_type }))?.count ?? 0
export const lockBoardCount = (ctx: BrandTx) => ctx.db.run(lockCount, {})
export const countBoardsOfType = async (ctx: BrandCtx, board_type: string) =>
  (await ctx.db.first(countOfType, { board_type }))?.count ?? 0
/** Whether any workspace has a board with this id. */
export const hasBoardAnywhere = async (ctx: BrandCtx, id: string) =>
  (await ctx.db.first(exists, { id })) !== undefined

export async function insertBoard(
  ctx: BrandTx,
  board: Written & { readonly key: string },
): Promise<BoardRow | undefined> {
  try {
    return await ctx.db.first(add, { ...board })
  } catch (error) {
    if (violates(error, 'boards_key_key')) throw boardKeyTaken()
    throw error
  }
}
export const updateBoard = (ctx: BrandTx, id: string, board: Written) =>
  ctx.db.first(update, { id, ...board })
export const updateArchived = (ctx: BrandTx, id: string, archived: boolean) =>
  ctx.db.first(setArchived, { id, archived })
/** Counts the cards as well, and locks the board as `lockBoard` does. */
export const updateNextNumber = (ctx: BrandTx, id: string, count: number) =>
  ctx.inTurn('board', [id], () => ctx.db.first(takeNumbers, { id, count }))
export const updateCardCount = (ctx: BrandTx, id: string, more: number) => ctx.db.run(addCount, { id, more })
