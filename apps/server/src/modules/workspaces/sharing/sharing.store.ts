import type { RefusalKind } from '@crewhall/contracts/refusal.ts'
import type { GuestRole } from '@crewhall/contracts/workspaces/guests.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { brandStatement, type Sql, sql } from '#platform/db/statement.ts'

/** Names in the schema of the module that shares. As SQL, because the boundary check reads names only there. */
export interface SharingTables {
  /** One row per guest: `brand_id`, `resource_id`, `person_id`, `role`, `added_at`; its key is `guests_pkey`. */
  readonly guests: Sql
  /** What is shared: `brand_id`, `id`, `name`. */
  readonly resources: Sql
  /** The column of `guests` that names the resource. */
  readonly resource_id: Sql
  /** A function of a person and a workspace that looks into all the other workspaces. */
  readonly is_guest_elsewhere: Sql
}

export interface GuestRef {
  readonly resource_id: string
  readonly person_id: number
}
export interface GuestRow {
  readonly person_id: number
  readonly role: GuestRole
  readonly added_at: string
}
interface GrantRow extends GuestRef {
  readonly name: string
  readonly role: GuestRole
}

/** The statements on the guests of one kind of resource. Built once, when the module is loaded. */
export function sharingStore(tables: SharingTables) {
  const { guests, resources, resource_id, is_guest_elsewhere } = tables
  const row = 'person_id, role, added_at'
  const grants = sql`select g.person_id, g.${resource_id} as resource_id, r.name, g.role
   from ${guests} g join ${resources} r on r.brand_id = g.brand_id and r.id = g.${resource_id}`

  // Giving access and ending all access of a person take turns: otherwise access given while a guest is removed or
  // becomes a member would outlive both.
  const lock = brandStatement<object, unknown>(
    (p) => sql`select pg_advisory_xact_lock(hashtext('${guests}'), ${p.brand_id})`,
  )
  const list = brandStatement<{ resource_id: string; after: number; limit: number }, GuestRow>(
    (p) => sql`select ${row} from ${guests}
   where brand_id = ${p.brand_id} and ${resource_id} = ${p.resource_id} and person_id > ${p.after}
   order by person_id limit ${p.limit}`,
  )
  const listAll = brandStatement<{ limit: number }, GrantRow>(
    (p) => sql`${grants} where g.brand_id = ${p.brand_id}
   order by g.person_id, g.${resource_id} limit ${p.limit}`,
  )
  const findOne = brandStatement<GuestRef, GrantRow>(
    (p) => sql`${grants} where g.brand_id = ${p.brand_id} and g.${resource_id} = ${p.resource_id}
     and g.person_id = ${p.person_id}`,
  )
  const count = brandStatement<object, { count: number }>(
    (p) => sql`select count(*)::int as count from ${guests} where brand_id = ${p.brand_id}`,
  )
  const find = (suffix: string) =>
    brandStatement<GuestRef, GuestRow>(
      (p) => sql`select ${row} from ${guests} where brand_id = ${p.brand_id}
     and ${resource_id} = ${p.resource_id} and person_id = ${p.person_id}${suffix}`,
    )
  const [read, lockShared, lockOne] = [find(''), find(' for share'), find(' for update')]
  const add = brandStatement<GuestRef & { role: GuestRole }, GuestRow>(
    (p) => sql`insert into ${guests} (brand_id, ${resource_id}, person_id, role)
     values (${p.brand_id}, ${p.resource_id}, ${p.person_id}, ${p.role}) returning ${row}`,
  )
  const change = brandStatement<GuestRef & { role: GuestRole }, unknown>(
    (p) => sql`update ${guests} set role = ${p.role} where brand_id = ${p.brand_id}
     and ${resource_id} = ${p.resource_id} and person_id = ${p.person_id}`,
  )
  const remove = brandStatement<GuestRef, { role: GuestRole }>(
    (p) => sql`delete from ${guests} where brand_id = ${p.brand_id}
     and ${resource_id} = ${p.resource_id} and person_id = ${p.person_id} returning role`,
  )
  const removePerson = brandStatement<{ person_id: number }, { resource_id: string; role: GuestRole }>(
    (p) => sql`delete from ${guests} where brand_id = ${p.brand_id} and person_id = ${p.person_id}
     returning ${resource_id} as resource_id, role`,
  )
  const elsewhere = brandStatement<{ person_id: number }, { is_guest: boolean }>(
    (p) => sql`select ${is_guest_elsewhere}(${p.person_id}, ${p.brand_id}) as is_guest`,
  )

  return {
    lockGuests: (ctx: BrandTx) => ctx.db.run(lock, {}),
    listGuests: (ctx: BrandCtx, page: { resource_id: string; after: number; limit: number }) =>
      ctx.db.all(list, page),
    listAccess: (ctx: BrandCtx, limit: number) => ctx.db.all(listAll, { limit }),
    findAccess: (ctx: BrandCtx, guest: GuestRef) => ctx.db.first(findOne, guest),
    countAccess: async (ctx: BrandTx) => (await ctx.db.first(count, {}))?.count ?? 0,
    /** The role holds until the end of the transaction only under a lock of the resource. */
    findGuest: (ctx: BrandTx, guest: GuestRef) => ctx.db.first(read, guest),
    /** Keeps the role from being changed or taken until the end of the transaction. */
    holdGuest: (ctx: BrandTx, guest: GuestRef) => ctx.db.first(lockShared, guest),
    lockGuest: (ctx: BrandTx, guest: GuestRef) => ctx.db.first(lockOne, guest),
    async insertGuest(ctx: BrandTx, guest: GuestRef & { role: GuestRole }, alreadyGuest: RefusalKind) {
      try {
        return await ctx.db.first(add, guest)
      } catch (error) {
        throw violates(error, 'guests_pkey') ? alreadyGuest() : error
      }
    },
    updateRole: (ctx: BrandTx, guest: GuestRef & { role: GuestRole }) => ctx.db.run(change, guest),
    deleteGuest: (ctx: BrandTx, guest: GuestRef) => ctx.db.first(remove, guest),
    deleteGuestsByPerson: (ctx: BrandTx, person_id: number) => ctx.db.all(removePerson, { person_id }),
    findElsewhere: async (ctx: BrandCtx, person_id: number) =>
      (await ctx.db.first(elsewhere, { person_id }))?.is_guest === true,
  }
}
