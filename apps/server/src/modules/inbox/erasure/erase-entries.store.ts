import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'
import { sql, statement } from '#platform/db/statement.ts'

type Bite = { readonly person_id: number; readonly limit: number }

const own = statement<Bite, unknown>(
  (p) => sql`delete from inbox.entries where (brand_id, id) in (
     select brand_id, id from inbox.entries where person_id = ${p.person_id} limit ${p.limit})`,
)
// Once the name is out, the row is no longer found by the person.
const caused = statement<Bite, unknown>(
  (
    p,
  ) => sql`update inbox.entries set actor = platform.without_person(actor, ${p.person_id}, '{}'), by_person = null
   where (brand_id, id) in (
     select brand_id, id from inbox.entries where by_person = ${p.person_id} limit ${p.limit})`,
)
const settings = statement<{ person_id: number }, unknown>(
  (p) => sql`delete from inbox.mail_settings where person_id = ${p.person_id}`,
)
const allSettings = deletingRows('inbox.mail_settings', 'person_id')
const all = deletingRows('inbox.entries', 'id')

export const deleteOwn = (ctx: SystemCtx, bite: Bite) => ctx.overBrands().db.run(own, bite)
export const updateCaused = (ctx: SystemCtx, bite: Bite) => ctx.overBrands().db.run(caused, bite)
export const deleteEntries = (ctx: BrandCtx, limit: number) => ctx.db.run(all, { limit })
/** As many as they have workspaces. */
export const deleteOwnSettings = (ctx: SystemCtx, person_id: number) =>
  ctx.overBrands().db.run(settings, { person_id })
export const deleteSettings = (ctx: BrandCtx, limit: number) => ctx.db.run(allSettings, { limit })
