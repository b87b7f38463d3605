import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

type Bite = { readonly limit: number }

const guests = deletingRows('boards.guests', 'board_id', 'person_id')
const activity = deletingRows('boards.activity', 'board_id', 'created_at', 'id')
const someCards = brandStatement<Bite, { id: string }>(
  (p) => sql`select id from boards.cards where brand_id = ${p.brand_id} order by id limit ${p.limit}`,
)
const orphan = brandStatement<{ ids: readonly string[] }, unknown>(
  (p) =>
    sql`update boards.cards set parent_id = null where brand_id = ${p.brand_id} and parent_id = any(${p.ids}::uuid[])`,
)
// Texts, comments, checklists, files, relations and runs go with their cards.
const cards = brandStatement<{ ids: readonly string[] }, unknown>(
  (p) => sql`delete from boards.cards where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[])`,
)
// Columns go with their boards.
const boards = brandStatement<Bite, { id: string }>(
  (p) => sql`with gone as (
     delete from boards.boards where (brand_id, id) in (
       select brand_id, id from boards.boards where brand_id = ${p.brand_id} limit ${p.limit})
     returning id), forgotten as (delete from boards.board_ids where id in (select id from gone))
   select id from gone`,
)

export const deleteGuests = (ctx: BrandCtx, limit: number) => ctx.db.run(guests, { limit })
export const deleteActivity = (ctx: BrandCtx, limit: number) => ctx.db.run(activity, { limit })
export const listSomeCards = async (ctx: BrandCtx, limit: number): Promise<string[]> =>
  (await ctx.db.all(someCards, { limit })).map(({ id }) => id)
export const deleteCards = async (ctx: BrandTx, ids: readonly string[]) => {
  await ctx.db.run(orphan, { ids })
  await ctx.db.run(cards, { ids })
}
export const deleteBoards = async (ctx: BrandCtx, limit: number): Promise<number> =>
  (await ctx.db.all(boards, { limit })).length
