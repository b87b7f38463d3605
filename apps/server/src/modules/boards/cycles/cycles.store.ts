import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import { summaryFields } from '../card-data/cards.store.ts'
import type { ChildRow } from '../children/children.store.ts'
import type { Counts } from './cycles.rules.ts'

export interface CycleRow extends Counts {
  readonly id: string
  readonly board_id: string
  readonly name: string
  readonly goal: string
  readonly starts_on: string
  readonly ends_on: string
  readonly started_at: string | null
  readonly closed_at: string | null
  readonly carry_to: string | null
  readonly is_carrying: boolean
  readonly planned_cards: number
  readonly planned_estimate: number
  readonly at_close: Counts | null
  readonly created_at: string
}

type One = { id: string }
type OfBoard = { board_id: string }
type Days = { starts_on: string; ends_on: string }

const columns = `y.id, y.board_id, y.name, y.goal, y.starts_on::text as starts_on, y.ends_on::text as ends_on, y.started_at,
  y.closed_at, y.carry_to, y.is_carrying, y.cards, y.cards_done, y.cards_unsized, y.cards_added,
  y.estimate::float8 as estimate, y.estimate_done::float8 as estimate_done, y.estimate_added::float8 as estimate_added,
  y.planned_cards, y.planned_estimate::float8 as planned_estimate, y.at_close, y.created_at`

const list = brandStatement<OfBoard & { limit: number; offset: number }, CycleRow>(
  (
    p,
  ) => sql`select ${columns} from boards.cycles y where y.brand_id = ${p.brand_id} and y.board_id = ${p.board_id}
   order by y.starts_on desc, y.id desc limit ${p.limit} offset ${p.offset}`,
)
const count = brandStatement<OfBoard, { total: number }>(
  (p) => sql`select count(*)::int as total from boards.cycles
   where brand_id = ${p.brand_id} and board_id = ${p.board_id}`,
)
const find = brandStatement<One, CycleRow>(
  (p) => sql`select ${columns} from boards.cycles y where y.brand_id = ${p.brand_id} and y.id = ${p.id}`,
)
const ofCard = brandStatement<{ card_id: string }, CycleRow>(
  (
    p,
  ) => sql`select ${columns} from boards.cards c join boards.cycles y on y.brand_id = c.brand_id and y.id = c.cycle_id
   where c.brand_id = ${p.brand_id} and c.id = ${p.card_id}`,
)
// At most a few hundred, under the lock of their board.
const overlapping = brandStatement<OfBoard & Days & One, One>(
  (p) => sql`select id from boards.cycles where brand_id = ${p.brand_id} and board_id = ${p.board_id}
     and starts_on <= ${p.ends_on}::date and ends_on >= ${p.starts_on}::date and id <> ${p.id} limit 1`,
)
const active = brandStatement<OfBoard, One>(
  (p) => sql`select id from boards.cycles where brand_id = ${p.brand_id} and board_id = ${p.board_id}
     and started_at is not null and closed_at is null limit 1`,
)
const next = brandStatement<OfBoard & { starts_on: string }, One>(
  (p) => sql`select id from boards.cycles where brand_id = ${p.brand_id} and board_id = ${p.board_id}
     and starts_on > ${p.starts_on}::date and closed_at is null order by starts_on limit 1`,
)
const add = brandStatement<OfBoard & Days & { name: string; goal: string }, One>(
  (p) => sql`insert into boards.cycles (brand_id, board_id, name, goal, starts_on, ends_on)
   values (${p.brand_id}, ${p.board_id}, ${p.name}, ${p.goal}, ${p.starts_on}::date, ${p.ends_on}::date) returning id`,
)
const change = brandStatement<One & Days & { name: string; goal: string }, unknown>(
  (p) => sql`update boards.cycles set name = ${p.name}, goal = ${p.goal}, starts_on = ${p.starts_on}::date,
     ends_on = ${p.ends_on}::date
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const start = brandStatement<One, unknown>(
  (
    p,
  ) => sql`update boards.cycles set started_at = platform.clock_now(), planned_cards = cards, planned_estimate = estimate
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const close = brandStatement<One & { carry_to: string | null }, unknown>(
  (
    p,
  ) => sql`update boards.cycles set closed_at = platform.clock_now(), carry_to = ${p.carry_to}::uuid, is_carrying = true,
     at_close = jsonb_build_object('cards', cards, 'cards_done', cards_done, 'cards_unsized', cards_unsized,
       'cards_added', cards_added, 'estimate', estimate, 'estimate_done', estimate_done, 'estimate_added', estimate_added)
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const carried = brandStatement<One, unknown>(
  (p) => sql`update boards.cycles set is_carrying = false where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const remove = brandStatement<One, unknown>(
  (p) => sql`delete from boards.cycles where brand_id = ${p.brand_id} and id = ${p.id}`,
)

const anyCard = brandStatement<One, One>(
  (p) => sql`select id from boards.cards where brand_id = ${p.brand_id} and cycle_id = ${p.id} limit 1`,
)
const openCards = brandStatement<One & { limit: number }, One>(
  (p) => sql`select id from boards.cards where brand_id = ${p.brand_id} and cycle_id = ${p.id}
     and archived_at is null and status not in ('done', 'canceled') order by id limit ${p.limit}`,
)
const cards = brandStatement<One & { after: string; limit: number }, ChildRow>(
  (p) => sql`select ${summaryFields}, c.board_id, c.priority, c.estimate, b.key, b.name as board
   from (select id from boards.cards where brand_id = ${p.brand_id} and cycle_id = ${p.id} and id > ${p.after}
       and archived_at is null order by id limit ${p.limit}) place
   cross join lateral (select * from boards.cards c where c.brand_id = ${p.brand_id} and c.id = place.id limit 1) c
   join boards.columns k on k.brand_id = ${p.brand_id} and k.id = c.column_id
   join boards.boards b on b.brand_id = ${p.brand_id} and b.id = c.board_id
   order by place.id`,
)
const boardsOf = brandStatement<{ ids: readonly string[] }, { id: string; board_id: string }>(
  (p) =>
    sql`select id, board_id from boards.cards where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[])`,
)
// Not a change of the card: its version stays, as with a checklist.
const put = brandStatement<{ ids: readonly string[]; cycle_id: string | null; is_added: boolean }, One>(
  (p) => sql`update boards.cards set cycle_id = ${p.cycle_id}::uuid, cycle_is_added = ${p.is_added}
   where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[]) and cycle_id is distinct from ${p.cycle_id}::uuid
   returning id`,
)

const nowhere = '00000000-0000-0000-0000-000000000000'

export const listCycles = (ctx: BrandCtx, at: OfBoard & { limit: number; offset: number }) =>
  ctx.db.all(list, at)
export const countCycles = async (ctx: BrandCtx, board_id: string) =>
  (await ctx.db.first(count, { board_id }))?.total ?? 0
export const findCycle = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const findCycleOfCard = (ctx: BrandCtx, card_id: string) => ctx.db.first(ofCard, { card_id })
export const findOverlapping = (ctx: BrandTx, days: OfBoard & Days & { id?: string }) =>
  ctx.db.first(overlapping, { id: nowhere, ...days })
export const findActive = async (ctx: BrandTx, board_id: string) =>
  (await ctx.db.first(active, { board_id }))?.id
/** The next one by its days that is not closed. */
export const findNextCycle = async (ctx: BrandTx, { board_id, starts_on }: CycleRow) =>
  (await ctx.db.first(next, { board_id, starts_on }))?.id
/** Only under the lock of the board, as all that follow. */
export const insertCycle = async (ctx: BrandTx, cycle: OfBoard & Days & { name: string; goal: string }) =>
  (await ctx.db.first(add, cycle))?.id
export const updateCycle = (ctx: BrandTx, cycle: One & Days & { name: string; goal: string }) =>
  ctx.db.run(change, cycle)
export const updateStarted = (ctx: BrandTx, id: string) => ctx.db.run(start, { id })
export const updateClosed = (ctx: BrandTx, id: string, carry_to: string | null) =>
  ctx.db.run(close, { id, carry_to })
export const updateCarried = (ctx: BrandTx, id: string) => ctx.db.run(carried, { id })
export const deleteCycle = (ctx: BrandTx, id: string) => ctx.db.run(remove, { id })
export const findAnyCard = (ctx: BrandTx, id: string) => ctx.db.first(anyCard, { id })
export const listOpenCards = async (ctx: BrandTx, id: string, limit: number) =>
  (await ctx.db.all(openCards, { id, limit })).map((card) => card.id)
export const listCardsOf = (ctx: BrandCtx, id: string, after = nowhere, limit: number) =>
  ctx.db.all(cards, { id, after, limit })
export const listBoardsOf = (ctx: BrandTx, ids: readonly string[]) => ctx.db.all(boardsOf, { ids })
/** Returns those that were not there yet. */
export const updateCardCycles = async (
  ctx: BrandTx,
  change: { ids: readonly string[]; cycle_id: string | null; is_added: boolean },
) => (await ctx.db.all(put, change)).map(({ id }) => id)
