import type { CardStatus } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, type Sql, sql } from '#platform/db/statement.ts'

export interface WaitingRow {
  readonly id: string
  readonly board_id: string
  readonly open_blockers: number
  readonly status: CardStatus
  readonly archived_at: string | null
}

type Cards = { ids: readonly string[] }

const boards = brandStatement<Cards, { board_id: string }>(
  (p) => sql`select distinct c.board_id from boards.relations r
   join boards.cards c on c.brand_id = ${p.brand_id} and c.id = r.other_id
   where r.brand_id = ${p.brand_id} and r.card_id = any(${p.ids}::uuid[]) and r.kind = 'blocks'`,
)
// In the order of ids, so that two that share some of these never wait for each other.
const locked = (which: (p: Named<Cards & { brand_id: number }>) => Sql) =>
  brandStatement<Cards, WaitingRow>(
    (p) => sql`select c.id, c.board_id, c.open_blockers, c.status, c.archived_at from boards.cards c
     where c.brand_id = ${p.brand_id} and c.id ${which(p)} order by c.id for no key update of c`,
  )
const lockBlocked = locked(
  (p) => sql`in (select r.other_id from boards.relations r
       where r.brand_id = ${p.brand_id} and r.card_id = any(${p.ids}::uuid[]) and r.kind = 'blocks')`,
)
const lockNamed = locked((p) => sql`= any(${p.ids}::uuid[])`)
// A statement of its own after the locks: in the one that waited for them, these counts would be of the moment
// before it waited.
const recount = brandStatement<Cards, Pick<WaitingRow, 'id' | 'open_blockers'>>(
  (p) => sql`update boards.cards c set open_blockers = n.open_blockers
   from (
     select w.id, (select count(*) from boards.relations r
       join boards.cards b on b.brand_id = ${p.brand_id} and b.id = r.card_id
       where r.brand_id = ${p.brand_id} and r.other_id = w.id and r.kind = 'blocks'
         and b.status not in ('done', 'canceled') and b.archived_at is null)::int as open_blockers
     from unnest(${p.ids}::uuid[]) as w (id)
   ) n
   where c.brand_id = ${p.brand_id} and c.id = n.id and c.open_blockers <> n.open_blockers
   returning c.id, c.open_blockers`,
)

/** Boards of the cards that wait for any of these. */
export const listBoardsOfWaiting = async (ctx: BrandCtx, ids: readonly string[]) =>
  (await ctx.db.all(boards, { ids })).map(({ board_id }) => board_id)
export const lockWaiting = (ctx: BrandTx, blockers: readonly string[]) =>
  ctx.db.all(lockBlocked, { ids: blockers })
export const lockCards = (ctx: BrandTx, ids: readonly string[]) => ctx.db.all(lockNamed, { ids })
/** Returns the cards whose number has changed. */
export const updateOpenBlockers = (ctx: BrandTx, ids: readonly string[]) => ctx.db.all(recount, { ids })
