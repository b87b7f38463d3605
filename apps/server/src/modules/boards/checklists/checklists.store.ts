import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface ItemRow {
  readonly id: string
  readonly card_id: string
  readonly text: string
  readonly place: number
  readonly done_by: Actor | null
  readonly done_at: string | null
  readonly created_at: string
}

const columns = 'id, card_id, text, place, done_by, done_at, created_at'

const ofCard = brandStatement<{ card_id: string }, ItemRow>(
  (p) => sql`select ${columns} from boards.checklist_items
   where brand_id = ${p.brand_id} and card_id = ${p.card_id} order by place, id`,
)
const find = brandStatement<{ id: string }, { card_id: string }>(
  (p) => sql`select card_id from boards.checklist_items where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const add = brandStatement<{ items: string }, unknown>(
  (p) => sql`insert into boards.checklist_items (brand_id, card_id, text, place)
   select ${p.brand_id}::int, card_id, text, place
   from json_to_recordset(${p.items}::json) as i (card_id uuid, text text, place int)`,
)
const update = brandStatement<{ id: string; text: string; done_by: string | null }, unknown>(
  (p) => sql`update boards.checklist_items set text = ${p.text}, done_by = ${p.done_by}::jsonb,
     done_at = case when ${p.done_by}::jsonb is not null then coalesce(done_at, platform.clock_now()) end
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const reorder = brandStatement<{ ids: readonly string[] }, unknown>(
  (p) => sql`update boards.checklist_items i set place = o.place
   from unnest(${p.ids}::uuid[]) with ordinality as o (id, place)
   where i.brand_id = ${p.brand_id} and i.id = o.id and i.place <> o.place`,
)
const remove = brandStatement<{ id: string }, unknown>(
  (p) => sql`delete from boards.checklist_items where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const count = brandStatement<{ card_id: string; total: number; done: number }, unknown>(
  (p) => sql`update boards.cards set items_total = ${p.total}, items_done = ${p.done}
   where brand_id = ${p.brand_id} and id = ${p.card_id}`,
)

export interface NewItem {
  readonly card_id: string
  readonly text: string
  readonly place: number
}

export const listItems = (ctx: BrandCtx, card_id: string) => ctx.db.all(ofCard, { card_id })
export const findCardOfItem = async (ctx: BrandCtx, id: string) => (await ctx.db.first(find, { id }))?.card_id
/** Only under the lock of the board, as all that follow. */
export const insertItems = (ctx: BrandTx, items: readonly NewItem[]) =>
  ctx.db.run(add, { items: JSON.stringify(items) })
export const updateItem = (ctx: BrandTx, { id, text, done_by }: Pick<ItemRow, 'id' | 'text' | 'done_by'>) =>
  ctx.db.run(update, { id, text, done_by: done_by && JSON.stringify(done_by) })
/** Items of one card, all of them. */
export const updatePlaces = (ctx: BrandTx, ids: readonly string[]) => ctx.db.run(reorder, { ids })
export const deleteItem = (ctx: BrandTx, id: string) => ctx.db.run(remove, { id })
export const updateItemCounts = (ctx: BrandTx, card_id: string, counts: { total: number; done: number }) =>
  ctx.db.run(count, { card_id, ...counts })
