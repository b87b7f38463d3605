import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

export interface WatcherRow {
  readonly person_id: number
  readonly is_watching: boolean
}

type OfCard = { readonly card_id: string }
const list = brandStatement<OfCard & { limit: number }, WatcherRow>(
  (p) => sql`select person_id, is_watching from boards.watchers
   where brand_id = ${p.brand_id} and card_id = ${p.card_id} order by person_id limit ${p.limit}`,
)
const set = brandStatement<OfCard & WatcherRow, unknown>(
  (p) => sql`insert into boards.watchers (brand_id, card_id, person_id, is_watching)
   values (${p.brand_id}, ${p.card_id}, ${p.person_id}, ${p.is_watching})
   on conflict on constraint watchers_pkey do update
     set is_watching = excluded.is_watching, changed_at = excluded.changed_at`,
)
// Whoever has left stays out.
const join = brandStatement<{ joining: string; most: number }, unknown>(
  (p) => sql`insert into boards.watchers (brand_id, card_id, person_id, is_watching)
   select ${p.brand_id}::int, j.card_id, j.person_id, true
   from json_to_recordset(${p.joining}::json) as j (card_id uuid, person_id int)
   where (select count(*) from boards.watchers w
     where w.brand_id = ${p.brand_id} and w.card_id = j.card_id and w.is_watching) < ${p.most}
   on conflict do nothing`,
)
const removeAll = statement<{ person_id: number }, unknown>(
  (p) => sql`delete from boards.watchers where person_id = ${p.person_id}`,
)

/** Those who joined and those who left. */
export const listWatcherRows = (ctx: BrandCtx, card_id: string, limit: number) =>
  ctx.db.all(list, { card_id, limit })
export const upsertWatcher = (ctx: BrandTx, row: OfCard & WatcherRow) => ctx.db.run(set, row)
export const insertJoining = (
  ctx: BrandTx,
  joining: readonly { readonly card_id: string; readonly person_id: number }[],
  most: number,
) => ctx.db.run(join, { joining: JSON.stringify(joining), most })
export const deleteWatching = (ctx: SystemCtx, person_id: number) =>
  ctx.overBrands().db.run(removeAll, { person_id })
