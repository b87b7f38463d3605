import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'

export type Role = 'admin' | 'member'

export interface MemberRow {
  readonly person_id: number
  readonly full_name: string
  readonly email: string
  readonly role: Role
  readonly joined_at: string
}

export interface MailedRow {
  readonly email: string
  readonly full_name: string
  /** Whether the address is proven. */
  readonly email_verified: boolean
  readonly role: Role
}

interface OneOf {
  readonly person_id: number
}

const columns = 'm.person_id, p.full_name, p.email, m.role, m.joined_at'
const activeOf = (p: Named<{ brand_id: number }>) =>
  sql`from identity.memberships m join identity.people p on p.id = m.person_id
   where m.brand_id = ${p.brand_id} and m.status = 'active'`
// A plain search for the text itself: nothing in it has a meaning of its own, as `%` has in a pattern.
const matching = (p: Named<{ q: string }>) =>
  sql`(position(platform.fold_name(${p.q}) in platform.fold_name(p.full_name)) > 0
     or position(platform.fold_name(${p.q}) in platform.fold_name(p.email)) > 0)`

const one = brandStatement<OneOf, MemberRow>(
  (p) => sql`select ${columns} ${activeOf(p)} and m.person_id = ${p.person_id}`,
)
const mailed = brandStatement<OneOf, MailedRow>(
  (p) =>
    sql`select p.email, p.full_name, p.email_verified, m.role ${activeOf(p)} and m.person_id = ${p.person_id}`,
)
const among = brandStatement<{ ids: readonly number[] }, { person_id: number }>(
  (p) => sql`select person_id from identity.memberships
   where brand_id = ${p.brand_id} and person_id = any(${p.ids}::int[]) and status = 'active'`,
)
// The primary key of memberships serves the order, so a page reads no more rows than lie before its end.
const page = brandStatement<{ limit: number; offset: number }, MemberRow>(
  (p) => sql`select ${columns} ${activeOf(p)} order by m.person_id limit ${p.limit} offset ${p.offset}`,
)
const count = brandStatement<object, { total: number }>(
  (p) => sql`select count(*)::int as total from identity.memberships where brand_id = ${p.brand_id}
     and status = 'active'`,
)
const pageMatching = brandStatement<{ q: string; limit: number; offset: number }, MemberRow>(
  (p) => sql`select ${columns} ${activeOf(p)} and ${matching(p)} order by m.person_id
     limit ${p.limit} offset ${p.offset}`,
)
const countMatching = brandStatement<{ q: string }, { total: number }>(
  (p) => sql`select count(*)::int as total ${activeOf(p)} and ${matching(p)}`,
)
// Always in id order, so that two changes wait for each other instead of deadlocking. After the wait, only current
// admins are visible.
const lockAll = brandStatement<object, { person_id: number }>(
  (p) => sql`select person_id from identity.memberships
   where brand_id = ${p.brand_id} and role = 'admin' and status = 'active' order by person_id for no key update`,
)
const hold = brandStatement<OneOf, unknown>(
  (p) => sql`select 1 from identity.memberships where brand_id = ${p.brand_id} and person_id = ${p.person_id}
     and status = 'active' for share`,
)
const setRole = brandStatement<OneOf & { role: Role }, unknown>(
  (p) => sql`update identity.memberships set role = ${p.role} where brand_id = ${p.brand_id}
     and person_id = ${p.person_id} and status = 'active'`,
)
const remove = brandStatement<OneOf, unknown>(
  (p) => sql`update identity.memberships set status = 'removed', removed_at = platform.now()
   where brand_id = ${p.brand_id} and person_id = ${p.person_id} and status = 'active'`,
)
const revokeTokens = brandStatement<OneOf, unknown>(
  (p) => sql`update identity.tokens set revoked_at = platform.now()
   where brand_id = ${p.brand_id} and person_id = ${p.person_id} and revoked_at is null`,
)
const leaveSessions = brandStatement<OneOf, unknown>(
  (p) => sql`update identity.sessions set brand_id = null, updated_at = platform.now()
     where brand_id = ${p.brand_id} and person_id = ${p.person_id}`,
)
// An existing member keeps their role: an invitation does not change it.
const join = brandStatement<OneOf & { role: Role }, unknown>(
  (p) => sql`insert into identity.memberships as m (brand_id, person_id, role)
     values (${p.brand_id}, ${p.person_id}, ${p.role})
   on conflict (brand_id, person_id) do update
     set role = excluded.role, status = 'active', joined_at = platform.now(), removed_at = null
     where m.status = 'removed'`,
)

export const findActive = (ctx: BrandCtx, person_id: number) => ctx.db.first(one, { person_id })
export const findMailed = (ctx: BrandCtx, person_id: number) => ctx.db.first(mailed, { person_id })
export const listActiveAmong = async (ctx: BrandCtx, ids: readonly number[]): Promise<number[]> =>
  (await ctx.db.all(among, { ids })).map(({ person_id }) => person_id)

interface Slice {
  readonly q: string | null
  readonly limit: number
  readonly offset: number
}

export const listActive = (ctx: BrandCtx, { q, limit, offset }: Slice) =>
  q === null ? ctx.db.all(page, { limit, offset }) : ctx.db.all(pageMatching, { q, limit, offset })
export const countActive = async (ctx: BrandCtx, q: string | null): Promise<number> => {
  const found = q === null ? ctx.db.first(count, {}) : ctx.db.first(countMatching, { q })
  return (await found)?.total ?? 0
}
export const lockAdmins = async (ctx: BrandTx): Promise<number[]> =>
  (await ctx.db.all(lockAll, {})).map(({ person_id }) => person_id)
export const lockActive = (ctx: BrandTx, person_id: number) => ctx.db.run(hold, { person_id })
export const updateRole = (ctx: BrandTx, person_id: number, role: Role) =>
  ctx.db.run(setRole, { person_id, role })
export const updateRemoved = (ctx: BrandTx, person_id: number) => ctx.db.run(remove, { person_id })
export const updateTokensRevoked = (ctx: BrandTx, person_id: number) =>
  ctx.db.run(revokeTokens, { person_id })
export const updateSessionsLeft = (ctx: BrandTx, person_id: number) =>
  ctx.db.run(leaveSessions, { person_id })
export const insertOrReturn = (ctx: BrandTx, person_id: number, role: Role) =>
  ctx.db.run(join, { person_id, role })
