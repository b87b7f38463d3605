import { formerMember } from '@crewhall/contracts/former-member.ts'
import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'
import { sql, statement } from '#platform/db/statement.ts'

export interface PagePlace {
  readonly brand_id: number
  readonly space_id: string
  readonly id: string
}

const next = statement<PagePlace & { bite: number; author_id: number; name: string }, PagePlace>(
  (p) => sql`with bitten as materialized (
     select brand_id, space_id, id from docs_spaces.pages
     where (brand_id, space_id, id) > (${p.brand_id}, ${p.space_id}::uuid, ${p.id}::uuid) order by brand_id, space_id, id limit ${p.bite}),
   renamed as (
     update docs_spaces.pages p set author_name = ${p.name} from bitten b
     where p.brand_id = b.brand_id and p.space_id = b.space_id and p.id = b.id and p.author_id = ${p.author_id})
   select brand_id, space_id, id from bitten order by brand_id desc, space_id desc, id desc limit 1`,
)
const leave = statement<{ person_id: number }, unknown>(
  (p) => sql`delete from docs_spaces.guests where person_id = ${p.person_id}`,
)
const guests = deletingRows('docs_spaces.guests', 'space_id', 'person_id')
const pages = deletingRows('docs_spaces.pages', 'space_id', 'id')
const spaces = deletingRows('docs_spaces.spaces', 'id')

/** Returns the last page of the batch. */
export const updateAuthors = (ctx: SystemCtx, after: PagePlace, author_id: number, bite: number) =>
  ctx.overBrands().db.first(next, { ...after, bite, author_id, name: formerMember })
export const deleteGuestEverywhere = (ctx: SystemCtx, person_id: number) =>
  ctx.overBrands().db.run(leave, { person_id })
export const deleteGuests = (ctx: BrandCtx, limit: number) => ctx.db.run(guests, { limit })
export const deletePages = (ctx: BrandCtx, limit: number) => ctx.db.run(pages, { limit })
export const deleteSpaces = (ctx: BrandCtx, limit: number) => ctx.db.run(spaces, { limit })
