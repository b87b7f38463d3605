import { alreadyGuest } from '@crewhall/contracts/docs-spaces/refusals.ts'
import type { GuestRole } from '@crewhall/contracts/workspaces/guests.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { sqlStatement } from '#platform/db/statement.ts'

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
type InBrand<T> = T & { readonly brand_id: number }

// Whoever gives access, and whoever takes all access of a person, takes turns: otherwise access that is given
// while a guest is removed or becomes a member would outlive both.
const lock = sqlStatement<InBrand<object>, unknown>(
  `select pg_advisory_xact_lock(hashtext('docs_spaces.guests'), $1)`,
  'brand_id',
)
const list = sqlStatement<InBrand<{ space_id: string; after: number; limit: number }>, SpaceGuestRow>(
  `select person_id, role, added_at from docs_spaces.guests
   where brand_id = $1 and space_id = $2 and person_id > $3 order by person_id limit $4`,
  'brand_id',
  'space_id',
  'after',
  'limit',
)
const listAll = sqlStatement<InBrand<{ limit: number }>, AccessRow>(
  `select g.person_id, g.space_id as resource_id, s.name, g.role
   from docs_spaces.guests g join docs_spaces.spaces s on s.brand_id = g.brand_id and s.id = g.space_id
   where g.brand_id = $1 order by g.person_id, g.space_id limit $2`,
  'brand_id',
  'limit',
)
const findOne = sqlStatement<InBrand<Place>, AccessRow>(
  `select g.person_id, g.space_id as resource_id, s.name, g.role
   from docs_spaces.guests g join docs_spaces.spaces s on s.brand_id = g.brand_id and s.id = g.space_id
   where g.brand_id = $1 and g.space_id = $2 and g.person_id = $3`,
  'brand_id',
  'space_id',
  'person_id',
)
const count = sqlStatement<InBrand<object>, { count: number }>(
  'select count(*)::int as count from docs_spaces.guests where brand_id = $1',
  'brand_id',
)
const add = sqlStatement<InBrand<Place & { role: GuestRole }>, SpaceGuestRow>(
  `insert into docs_spaces.guests (brand_id, space_id, person_id, role) values ($1, $2, $3, $4)
   returning person_id, role, added_at`,
  'brand_id',
  'space_id',
  'person_id',
  'role',
)
const lockOne = sqlStatement<InBrand<Place>, SpaceGuestRow>(
  `select person_id, role, added_at from docs_spaces.guests
   where brand_id = $1 and space_id = $2 and person_id = $3 for update`,
  'brand_id',
  'space_id',
  'person_id',
)
// Holds the role while its owner writes, so that nothing is written with a right that has been taken away.
const holdRole = sqlStatement<InBrand<Place>, { role: GuestRole }>(
  `select role from docs_spaces.guests where brand_id = $1 and space_id = $2 and person_id = $3 for share`,
  'brand_id',
  'space_id',
  'person_id',
)
const change = sqlStatement<InBrand<Place & { role: GuestRole }>, unknown>(
  'update docs_spaces.guests set role = $4 where brand_id = $1 and space_id = $2 and person_id = $3',
  'brand_id',
  'space_id',
  'person_id',
  'role',
)
const remove = sqlStatement<InBrand<Place>, { role: GuestRole }>(
  `delete from docs_spaces.guests where brand_id = $1 and space_id = $2 and person_id = $3 returning role`,
  'brand_id',
  'space_id',
  'person_id',
)
const removePerson = sqlStatement<InBrand<{ person_id: number }>, unknown>(
  'delete from docs_spaces.guests where brand_id = $1 and person_id = $2',
  'brand_id',
  'person_id',
)
const elsewhere = sqlStatement<{ person_id: number; brand_id: number }, { is_guest: boolean }>(
  'select docs_spaces.is_guest_elsewhere($1, $2) as is_guest',
  'person_id',
  'brand_id',
)

export const lockGuests = (ctx: BrandTx) => ctx.db.run(lock, { brand_id: ctx.brandId })
export const listGuests = (ctx: BrandCtx, wanted: { space_id: string; after: number; limit: number }) =>
  ctx.db.all(list, { brand_id: ctx.brandId, ...wanted })
export const listAccess = (ctx: BrandCtx, limit: number) =>
  ctx.db.all(listAll, { brand_id: ctx.brandId, limit })
export const findAccess = (ctx: BrandCtx, place: Place) =>
  ctx.db.first(findOne, { brand_id: ctx.brandId, ...place })
export const countAccess = async (ctx: BrandTx): Promise<number> =>
  (await ctx.db.first(count, { brand_id: ctx.brandId }))?.count ?? 0
export async function insertGuest(ctx: BrandTx, guest: Place & { role: GuestRole }) {
  try {
    return await ctx.db.first(add, { brand_id: ctx.brandId, ...guest })
  } catch (error) {
    throw violates(error, 'guests_pkey') ? alreadyGuest() : error
  }
}
export const lockGuest = (ctx: BrandTx, place: Place) =>
  ctx.db.first(lockOne, { brand_id: ctx.brandId, ...place })
export const lockRole = (ctx: BrandTx, place: Place) =>
  ctx.db.first(holdRole, { brand_id: ctx.brandId, ...place })
export const updateRole = (ctx: BrandTx, guest: Place & { role: GuestRole }) =>
  ctx.db.run(change, { brand_id: ctx.brandId, ...guest })
export const deleteGuest = (ctx: BrandTx, place: Place) =>
  ctx.db.first(remove, { brand_id: ctx.brandId, ...place })
export const deleteGuestsByPerson = (ctx: BrandTx, person_id: number) =>
  ctx.db.run(removePerson, { brand_id: ctx.brandId, person_id })
export const findElsewhere = async (ctx: BrandCtx, person_id: number): Promise<boolean> =>
  (await ctx.db.first(elsewhere, { person_id, brand_id: ctx.brandId }))?.is_guest === true
