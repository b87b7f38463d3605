import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { SourceCard } from './source-cards.rules.ts'

type Of = { import_id: string }

const add = brandStatement<Of & { rows: string }, unknown>(
  (p) => sql`insert into boards.import_rows (brand_id, import_id, place, client_ref, card)
   select ${p.brand_id}::int, ${p.import_id}::uuid, r.place, r.client_ref, r.card
   from json_to_recordset(${p.rows}::json) as r (place int, client_ref text, card jsonb)`,
)
const first = brandStatement<Of & { limit: number }, { place: number; card: SourceCard }>(
  (p) => sql`select place, card from boards.import_rows
   where brand_id = ${p.brand_id} and import_id = ${p.import_id} order by place limit ${p.limit}`,
)
const removeTo = brandStatement<Of & { place: number }, unknown>(
  (p) => sql`delete from boards.import_rows
   where brand_id = ${p.brand_id} and import_id = ${p.import_id} and place <= ${p.place}`,
)
const taken = brandStatement<
  { board_id: string; refs: readonly string[] },
  { client_ref: string; id: string }
>(
  (p) => sql`select client_ref, id from boards.cards
   where brand_id = ${p.brand_id} and board_id = ${p.board_id} and client_ref = any(${p.refs}::text[])`,
)

export interface NewMade {
  readonly card_id: string
  readonly place: number
  readonly file_row: number
  readonly parent_ref: string | null
}
type ChildCard = NewMade & { readonly parent_ref: string }
const addCards = brandStatement<Of & { cards: string }, unknown>(
  (p) => sql`insert into boards.import_cards (brand_id, import_id, card_id, place, file_row, parent_ref)
   select ${p.brand_id}::int, ${p.import_id}::uuid, r.card_id, r.place, r.file_row, r.parent_ref
   from json_to_recordset(${p.cards}::json) as r (card_id uuid, place int, file_row int, parent_ref text)`,
)
const children = brandStatement<Of & { limit: number }, ChildCard>(
  (p) => sql`select place, file_row, card_id, parent_ref from boards.import_cards
   where brand_id = ${p.brand_id} and import_id = ${p.import_id} and parent_ref is not null
   order by place limit ${p.limit}`,
)
const related = brandStatement<Of & { places: readonly number[] }, unknown>(
  (p) => sql`update boards.import_cards set parent_ref = null
   where brand_id = ${p.brand_id} and import_id = ${p.import_id} and place = any(${p.places}::int[])`,
)
const made = brandStatement<Of & { place: number; limit: number }, { place: number; card_id: string }>(
  (p) => sql`select place, card_id from boards.import_cards
   where brand_id = ${p.brand_id} and import_id = ${p.import_id} and place <= ${p.place}
   order by place desc limit ${p.limit}`,
)

type Cards = { ids: readonly string[] }
export interface MadeCard {
  readonly id: string
  readonly column_id: string
  readonly is_archived: boolean
  /** Somebody has done something with it since it was made. */
  readonly is_touched: boolean
}
// A card of an import has version 1 until somebody changes it. Parents that the import has set do not count.
const state = brandStatement<Of & Cards, MadeCard>(
  (p) => sql`select c.id, c.column_id, c.archived_at is not null as is_archived,
     (c.version > 1 or c.comments_count > 0 or c.runs_count > 0 or c.attachments_count > 0 or c.items_total > 0
       or c.claim_epoch > 0 or c.cycle_id is not null or exists (
         select from boards.relations r where r.brand_id = ${p.brand_id} and r.card_id = c.id
           and (r.kind <> 'parent' or not exists (select from boards.import_cards i
             where i.brand_id = ${p.brand_id} and i.card_id = r.other_id and i.import_id = ${p.import_id}))
       ) or exists (
         select from boards.relations r where r.brand_id = ${p.brand_id} and r.other_id = c.id
           and (r.kind <> 'parent' or not exists (select from boards.import_cards i
             where i.brand_id = ${p.brand_id} and i.card_id = r.card_id and i.import_id = ${p.import_id}))
       )) as is_touched
   from boards.cards c where c.brand_id = ${p.brand_id} and c.id = any(${p.ids}::uuid[])`,
)
const others = brandStatement<Cards, { id: string; board_id: string }>(
  (p) => sql`select c.id, c.board_id from (
     select other_id as id from boards.relations where brand_id = ${p.brand_id} and card_id = any(${p.ids}::uuid[])
     union
     select card_id from boards.relations where brand_id = ${p.brand_id} and other_id = any(${p.ids}::uuid[])) r
   join boards.cards c on c.brand_id = ${p.brand_id} and c.id = r.id`,
)
// Without labels and archived first: triggers count both.
const unlabel = brandStatement<Cards, unknown>(
  (p) => sql`update boards.cards set labels = '{}', archived_at = coalesce(archived_at, platform.clock_now())
   where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[])`,
)
const rowsOfBrand = deletingRows('boards.import_rows', 'import_id', 'place')
const cardsOfBrand = deletingRows('boards.import_cards', 'import_id', 'place')

export interface PlacedCard extends SourceCard {
  readonly place: number
}

export const insertRows = (ctx: BrandTx, import_id: string, rows: readonly PlacedCard[]) =>
  ctx.db.run(add, {
    import_id,
    rows: JSON.stringify(rows.map(({ place, ...card }) => ({ place, client_ref: card.client_ref, card }))),
  })
export const listFirstRows = async (ctx: BrandCtx, import_id: string, limit: number): Promise<PlacedCard[]> =>
  (await ctx.db.all(first, { import_id, limit })).map(({ place, card }) => ({ ...card, place }))
/** All up to that place. */
export const deleteRowsTo = (ctx: BrandTx, import_id: string, place: number) =>
  ctx.db.run(removeTo, { import_id, place })
/** Ids of the cards of a board that have one of these names. */
export const findCardsNamed = async (
  ctx: BrandCtx,
  board_id: string,
  refs: readonly string[],
): Promise<ReadonlyMap<string, string>> =>
  new Map((await ctx.db.all(taken, { board_id, refs })).map(({ client_ref, id }) => [client_ref, id]))

export const insertMade = (ctx: BrandTx, import_id: string, cards: readonly NewMade[]) =>
  ctx.db.run(addCards, { import_id, cards: JSON.stringify(cards) })
/** Those whose parent is still to be related. */
export const listChildren = (ctx: BrandTx, import_id: string, limit: number) =>
  ctx.db.all(children, { import_id, limit })
export const updateRelated = (ctx: BrandTx, import_id: string, places: readonly number[]) =>
  ctx.db.run(related, { import_id, places })
/** What an import has made up to that place, the last first. */
export const listMade = (ctx: BrandCtx, import_id: string, place: number, limit: number) =>
  ctx.db.all(made, { import_id, place, limit })
export const listMadeCards = (ctx: BrandTx, import_id: string, ids: readonly string[]) =>
  ctx.db.all(state, { import_id, ids })
/** Cards that these are related to, among themselves included. */
export const listRelated = (ctx: BrandCtx, ids: readonly string[]) => ctx.db.all(others, { ids })
export const updateLeaving = (ctx: BrandTx, ids: readonly string[]) => ctx.db.run(unlabel, { ids })
export const deleteSomeRows = (ctx: BrandCtx, limit: number) => ctx.db.run(rowsOfBrand, { limit })
export const deleteSomeMade = (ctx: BrandCtx, limit: number) => ctx.db.run(cardsOfBrand, { limit })
