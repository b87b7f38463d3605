import { alreadyBoardGuest } from '@crewhall/contracts/boards/guests.ts'
import type { GuestRole } from '@crewhall/contracts/workspaces/guests.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface BoardGuestRow {
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
  readonly board_id: string
  readonly person_id: number
}
type InBrand<T> = T & { readonly brand_id: number }

// Whoever gives access, and whoever takes all access of a person, takes turns: otherwise access that is given
// while a guest is removed or becomes a member would outlive both.
const lock = sqlStatement<InBrand<object>, unknown>(
  `select pg_advisory_xact_lock(hashtext('boards.guests'), $1)`,
  'brand_id',
)
const list = sqlStatement<InBrand<{ board_id: string; after: number; limit: number }>, BoardGuestRow>(
  `select person_id, role, added_at from boards.guests
   where brand_id = $1 and board_id = $2 and person_id > $3 order by person_id limit $4`,
  'brand_id',
  'board_id',
  'after',
  'limit',
)
const listAll = sqlStatement<InBrand<{ limit: number }>, AccessRow>(
  `select g.person_id, g.board_id as resource_id, b.name, g.role
   from boards.guests g join boards.boards b on b.brand_id = g.brand_id and b.id = g.board_id
   where g.brand_id = $1 order by g.person_id, g.board_id limit $2`,
  'brand_id',
  'limit',
)
const findOne = sqlStatement<InBrand<Place>, AccessRow>(
  `select g.person_id, g.board_id as resource_id, b.name, g.role
   from boards.guests g join boards.boards b on b.brand_id = g.brand_id and b.id = g.board_id
   where g.brand_id = $1 and g.board_id = $2 and g.person_id = $3`,
  'brand_id',
  'board_id',
  'person_id',
)
const count = sqlStatement<InBrand<object>, { count: number }>(
  'select count(*)::int as count from boards.guests where brand_id = $1',
  'brand_id',
)
const find = sqlStatement<InBrand<Place>, BoardGuestRow>(
  `select person_id, role, added_at from boards.guests
   where brand_id = $1 and board_id = $2 and person_id = $3`,
  'brand_id',
  'board_id',
  'person_id',
)
const add = sqlStatement<InBrand<Place & { role: GuestRole }>, BoardGuestRow>(
  `insert into boards.guests (brand_id, board_id, person_id, role) values ($1, $2, $3, $4)
   returning person_id, role, added_at`,
  'brand_id',
  'board_id',
  'person_id',
  'role',
)
const change = sqlStatement<InBrand<Place & { role: GuestRole }>, unknown>(
  'update boards.guests set role = $4 where brand_id = $1 and board_id = $2 and person_id = $3',
  'brand_id',
  'board_id',
  'person_id',
  'role',
)
const remove = sqlStatement<InBrand<Place>, unknown>(
  'delete from boards.guests where brand_id = $1 and board_id = $2 and person_id = $3',
  'brand_id',
  'board_id',
  'person_id',
)
// In the order of ids, as relations between boards lock them.
const lockBoards = sqlStatement<InBrand<{ person_id: number }>, { id: string }>(
  `select id from boards.boards
   where brand_id = $1 and id in (select board_id from boards.guests where brand_id = $1 and person_id = $2)
   order by id for no key update`,
  'brand_id',
  'person_id',
)
const removePerson = sqlStatement<
  InBrand<{ person_id: number }>,
  { readonly board_id: string; readonly role: GuestRole }
>(
  'delete from boards.guests where brand_id = $1 and person_id = $2 returning board_id, role',
  'brand_id',
  'person_id',
)
const elsewhere = sqlStatement<{ person_id: number; brand_id: number }, { is_guest: boolean }>(
  'select boards.is_guest_elsewhere($1, $2) as is_guest',
  'person_id',
  'brand_id',
)

export const lockGuests = (ctx: BrandTx) => ctx.db.run(lock, { brand_id: ctx.brandId })
export const listGuests = (ctx: BrandCtx, wanted: { board_id: string; after: number; limit: number }) =>
  ctx.db.all(list, { brand_id: ctx.brandId, ...wanted })
export const listAccess = (ctx: BrandCtx, limit: number) =>
  ctx.db.all(listAll, { brand_id: ctx.brandId, limit })
export const findAccess = (ctx: BrandCtx, place: Place) =>
  ctx.db.first(findOne, { brand_id: ctx.brandId, ...place })
export const countAccess = async (ctx: BrandTx): Promise<number> =>
  (await ctx.db.first(count, { brand_id: ctx.brandId }))?.count ?? 0
/** Only under the lock of the board does the answer hold until the end of the transaction. */
export const findGuest = (ctx: BrandTx, place: Place) =>
  ctx.db.first(find, { brand_id: ctx.brandId, ...place })
export async function insertGuest(ctx: BrandTx, guest: Place & { role: GuestRole }) {
  try {
    return await ctx.db.first(add, { brand_id: ctx.brandId, ...guest })
  } catch (error) {
    throw violates(error, 'guests_pkey') ? alreadyBoardGuest() : error
  }
}
export const updateRole = (ctx: BrandTx, guest: Place & { role: GuestRole }) =>
  ctx.db.run(change, { brand_id: ctx.brandId, ...guest })
export const deleteGuest = (ctx: BrandTx, place: Place) =>
  ctx.db.run(remove, { brand_id: ctx.brandId, ...place })
export const lockBoardsOfGuest = (ctx: BrandTx, person_id: number) =>
  ctx.db.all(lockBoards, { brand_id: ctx.brandId, person_id })
export const deleteGuestsByPerson = (ctx: BrandTx, person_id: number) =>
  ctx.db.all(removePerson, { brand_id: ctx.brandId, person_id })
export const findElsewhere = async (ctx: BrandCtx, person_id: number): Promise<boolean> =>
  (await ctx.db.first(elsewhere, { person_id, brand_id: ctx.brandId }))?.is_guest === true
