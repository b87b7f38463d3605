import { alreadyGuest } from '@crewhall/contracts/docs-spaces/refusals.ts'
import type { GuestRole } from '@crewhall/contracts/workspaces/guests.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface SpaceGuestRow {
  readonly person_id: number
  readonly role: GuestRole
  readonly added_at: string
}
interface AccessRow {
  readonly person_id: number
  readonly resource_id: string
  readonly name: string
  readonly role: GuestRole
}
interface Place {
  readonly space_id: string
  readonly person_id: number
}
type InBrand<T> = T

// Whoever gives access, and whoever takes all access of a person, takes turns: otherwise access that is given
// while a guest is removed or becomes a member would outlive both.
const lock = brandStatement<InBrand<object>, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('docs_spaces.guests'), ${p.brand_id})`,
)
const list = brandStatement<InBrand<{ space_id: string; after: number; limit: number }>, SpaceGuestRow>(
  (p) => sql`select person_id, role, added_at from docs_spaces.guests
   where brand_id = ${p.brand_id} and space_id = ${p.space_id} and person_id > ${p.after} order by person_id
     limit ${p.limit}`,
)
const listAll = brandStatement<InBrand<{ limit: number }>, AccessRow>(
  (p) => sql`select g.person_id, g.space_id as resource_id, s.name, g.role
   from docs_spaces.guests g join docs_spaces.spaces s on s.brand_id = g.brand_id and s.id = g.space_id
   where g.brand_id = ${p.brand_id} order by g.person_id, g.space_id limit ${p.limit}`,
)
const findOne = brandStatement<InBrand<Place>, AccessRow>(
  (p) => sql`select g.person_id, g.space_id as resource_id, s.name, g.role
   from docs_spaces.guests g join docs_spaces.spaces s on s.brand_id = g.brand_id and s.id = g.space_id
   where g.brand_id = ${p.brand_id} and g.space_id = ${p.space_id} and g.person_id = ${p.person_id}`,
)
const count = brandStatement<InBrand<object>, { count: number }>(
  (p) => sql`select count(*)::int as count from docs_spaces.guests where brand_id = ${p.brand_id}`,
)
const add = brandStatement<InBrand<Place & { role: GuestRole }>, SpaceGuestRow>(
  (p) => sql`insert into docs_spaces.guests (brand_id, space_id, person_id, role)
     values (${p.brand_id}, ${p.space_id}, ${p.person_id}, ${p.role})
   returning person_id, role, added_at`,
)
const lockOne = brandStatement<InBrand<Place>, SpaceGuestRow>(
  (p) => sql`select person_id, role, added_at from docs_spaces.guests
   where brand_id = ${p.brand_id} and space_id = ${p.space_id} and person_id = ${p.person_id} for update`,
)
// Holds the role while its owner writes, so that nothing is written with a right that has been taken away.
const holdRole = brandStatement<InBrand<Place>, { role: GuestRole }>(
  (p) => sql`select role from docs_spaces.guests where brand_id = ${p.brand_id} and space_id = ${p.space_id}
     and person_id = ${p.person_id} for share`,
)
const change = brandStatement<InBrand<Place & { role: GuestRole }>, unknown>(
  (p) => sql`update docs_spaces.guests set role = ${p.role} where brand_id = ${p.brand_id}
     and space_id = ${p.space_id} and person_id = ${p.person_id}`,
)
const remove = brandStatement<InBrand<Place>, { role: GuestRole }>(
  (p) => sql`delete from docs_spaces.guests where brand_id = ${p.brand_id} and space_id = ${p.space_id}
     and person_id = ${p.person_id} returning role`,
)
const removePerson = brandStatement<InBrand<{ person_id: number }>, unknown>(
  (p) => sql`delete from docs_spaces.guests where brand_id = ${p.brand_id} and person_id = ${p.person_id}`,
)
const elsewhere = brandStatement<{ person_id: number }, { is_guest: boolean }>(
  (p) => sql`select docs_spaces.is_guest_elsewhere(${p.person_id}, ${p.brand_id}) as is_guest`,
)

export const lockGuests = (ctx: BrandTx) => ctx.db.run(lock, {})
export const listGuests = (ctx: BrandCtx, wanted: { space_id: string; after: number; limit: number }) =>
  ctx.db.all(list, { ...wanted })
export const listAccess = (ctx: BrandCtx, limit: number) => ctx.db.all(listAll, { limit })
export const findAccess = (ctx: BrandCtx, place: Place) => ctx.db.first(findOne, { ...place })
export const countAccess = async (ctx: BrandTx): Promise<number> =>
  (await ctx.db.first(count, {}))?.count ?? 0
export async function insertGuest(ctx: BrandTx, guest: Place & { role: GuestRole }) {
  try {
    return await ctx.db.first(add, { ...guest })
  } catch (error) {
    throw violates(error, 'guests_pkey') ? alreadyGuest() : error
  }
}
export const lockGuest = (ctx: BrandTx, place: Place) => ctx.db.first(lockOne, { ...place })
export const lockRole = (ctx: BrandTx, place: Place) => ctx.db.first(holdRole, { ...place })
export const updateRole = (ctx: BrandTx, guest: Place & { role: GuestRole }) =>
  ctx.db.run(change, { ...guest })
export const deleteGuest = (ctx: BrandTx, place: Place) => ctx.db.first(remove, { ...place })
export const deleteGuestsByPerson = (ctx: BrandTx, person_id: number) =>
  ctx.db.run(removePerson, { person_id })
export const findElsewhere = async (ctx: BrandCtx, person_id: number): Promise<boolean> =>
  (await ctx.db.first(elsewhere, { person_id }))?.is_guest === true
