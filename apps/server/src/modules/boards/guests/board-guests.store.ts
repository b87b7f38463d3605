import { alreadyBoardGuest } from '@crewhall/contracts/boards/guests.ts'
import type { GuestRole } from '@crewhall/contracts/workspaces/guests.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

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
type InBrand<T> = T

// Whoever gives access, and whoever takes all access of a person, takes turns: otherwise access that is given
// while a guest is removed or becomes a member would outlive both.
const lock = brandStatement<InBrand<object>, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('boards.guests'), ${p.brand_id})`,
)
const list = brandStatement<InBrand<{ board_id: string; after: number; limit: number }>, BoardGuestRow>(
  (p) => sql`select person_id, role, added_at from boards.guests
   where brand_id = ${p.brand_id} and board_id = ${p.board_id} and person_id > ${p.after} order by person_id
     limit ${p.limit}`,
)
const listAll = brandStatement<InBrand<{ limit: number }>, AccessRow>(
  (p) => sql`select g.person_id, g.board_id as resource_id, b.name, g.role
   from boards.guests g join boards.boards b on b.brand_id = g.brand_id and b.id = g.board_id
   where g.brand_id = ${p.brand_id} order by g.person_id, g.board_id limit ${p.limit}`,
)
const findOne = brandStatement<InBrand<Place>, AccessRow>(
  (p) => sql`select g.person_id, g.board_id as resource_id, b.name, g.role
   from boards.guests g join boards.boards b on b.brand_id = g.brand_id and b.id = g.board_id
   where g.brand_id = ${p.brand_id} and g.board_id = ${p.board_id} and g.person_id = ${p.person_id}`,
)
const count = brandStatement<InBrand<object>, { count: number }>(
  (p) => sql`select count(*)::int as count from boards.guests where brand_id = ${p.brand_id}`,
)
const find = brandStatement<InBrand<Place>, BoardGuestRow>(
  (p) => sql`select person_id, role, added_at from boards.guests
   where brand_id = ${p.brand_id} and board_id = ${p.board_id} and person_id = ${p.person_id}`,
)
const add = brandStatement<InBrand<Place & { role: GuestRole }>, BoardGuestRow>(
  (p) => sql`insert into boards.guests (brand_id, board_id, person_id, role)
     values (${p.brand_id}, ${p.board_id}, ${p.person_id}, ${p.role})
   returning person_id, role, added_at`,
)
const change = brandStatement<InBrand<Place & { role: GuestRole }>, unknown>(
  (p) => sql`update boards.guests set role = ${p.role} where brand_id = ${p.brand_id}
     and board_id = ${p.board_id} and person_id = ${p.person_id}`,
)
const remove = brandStatement<InBrand<Place>, unknown>(
  (p) => sql`delete from boards.guests where brand_id = ${p.brand_id} and board_id = ${p.board_id}
     and person_id = ${p.person_id}`,
)
// In the order of ids, as relations between boards lock them.
const lockBoards = brandStatement<InBrand<{ person_id: number }>, { id: string }>(
  (p) => sql`select id from boards.boards
   where brand_id = ${p.brand_id} and id in (select board_id from boards.guests where brand_id = ${p.brand_id}
     and person_id = ${p.person_id})
   order by id for no key update`,
)
const removePerson = brandStatement<
  InBrand<{ person_id: number }>,
  { readonly board_id: string; readonly role: GuestRole }
>(
  (p) => sql`delete from boards.guests where brand_id = ${p.brand_id} and person_id = ${p.person_id}
     returning board_id, role`,
)
const elsewhere = brandStatement<{ person_id: number }, { is_guest: boolean }>(
  (p) => sql`select boards.is_guest_elsewhere(${p.person_id}, ${p.brand_id}) as is_guest`,
)

export const lockGuests = (ctx: BrandTx) => ctx.db.run(lock, {})
export const listGuests = (ctx: BrandCtx, wanted: { board_id: string; after: number; limit: number }) =>
  ctx.db.all(list, { ...wanted })
export const listAccess = (ctx: BrandCtx, limit: number) => ctx.db.all(listAll, { limit })
export const findAccess = (ctx: BrandCtx, place: Place) => ctx.db.first(findOne, { ...place })
export const countAccess = async (ctx: BrandTx): Promise<number> =>
  (await ctx.db.first(count, {}))?.count ?? 0
/** Only under the lock of the board does the answer hold until the end of the transaction. */
export const findGuest = (ctx: BrandTx, place: Place) => ctx.db.first(find, { ...place })
export async function insertGuest(ctx: BrandTx, guest: Place & { role: GuestRole }) {
  try {
    return await ctx.db.first(add, { ...guest })
  } catch (error) {
    throw violates(error, 'guests_pkey') ? alreadyBoardGuest() : error
  }
}
export const updateRole = (ctx: BrandTx, guest: Place & { role: GuestRole }) =>
  ctx.db.run(change, { ...guest })
export const deleteGuest = (ctx: BrandTx, place: Place) => ctx.db.run(remove, { ...place })
export const lockBoardsOfGuest = (ctx: BrandTx, person_id: number) => ctx.db.all(lockBoards, { person_id })
export const deleteGuestsByPerson = (ctx: BrandTx, person_id: number) =>
  ctx.db.all(removePerson, { person_id })
export const findElsewhere = async (ctx: BrandCtx, person_id: number): Promise<boolean> =>
  (await ctx.db.first(elsewhere, { person_id }))?.is_guest === true
