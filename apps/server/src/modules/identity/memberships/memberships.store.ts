import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export type Role = 'admin' | 'member'

export interface MemberRow {
  readonly person_id: number
  readonly full_name: string
  readonly email: string
  readonly role: Role
  readonly joined_at: string
}

interface InBrand {
  readonly brand_id: number
}
interface OneOf extends InBrand {
  readonly person_id: number
}

const columns = 'm.person_id, p.full_name, p.email, m.role, m.joined_at'
const activeOf = `from identity.memberships m join identity.people p on p.id = m.person_id
   where m.brand_id = $1 and m.status = 'active'`
// A plain search for the text itself: nothing in it has a meaning of its own, as `%` has in a pattern.
const matching = `(position(platform.fold_name($2) in platform.fold_name(p.full_name)) > 0
     or position(platform.fold_name($2) in platform.fold_name(p.email)) > 0)`

const one = sqlStatement<OneOf, MemberRow>(
  `select ${columns} ${activeOf} and m.person_id = $2`,
  'brand_id',
  'person_id',
)
const among = sqlStatement<InBrand & { ids: readonly number[] }, { person_id: number }>(
  `select person_id from identity.memberships
   where brand_id = $1 and person_id = any($2::int[]) and status = 'active'`,
  'brand_id',
  'ids',
)
// The primary key of memberships serves the order, so a page reads no more rows than lie before its end.
const page = sqlStatement<InBrand & { limit: number; offset: number }, MemberRow>(
  `select ${columns} ${activeOf} order by m.person_id limit $2 offset $3`,
  'brand_id',
  'limit',
  'offset',
)
const count = sqlStatement<InBrand, { total: number }>(
  `select count(*)::int as total from identity.memberships where brand_id = $1 and status = 'active'`,
  'brand_id',
)
const pageMatching = sqlStatement<InBrand & { q: string; limit: number; offset: number }, MemberRow>(
  `select ${columns} ${activeOf} and ${matching} order by m.person_id limit $3 offset $4`,
  'brand_id',
  'q',
  'limit',
  'offset',
)
const countMatching = sqlStatement<InBrand & { q: string }, { total: number }>(
  `select count(*)::int as total ${activeOf} and ${matching}`,
  'brand_id',
  'q',
)
// Always in the order of ids, so that two changes wait for each other instead of crossing. Whoever waited
// sees only those who are admins still.
const lockAll = sqlStatement<InBrand, { person_id: number }>(
  `select person_id from identity.memberships
   where brand_id = $1 and role = 'admin' and status = 'active' order by person_id for no key update`,
  'brand_id',
)
const hold = sqlStatement<OneOf, unknown>(
  `select 1 from identity.memberships where brand_id = $1 and person_id = $2 and status = 'active' for share`,
  'brand_id',
  'person_id',
)
const setRole = sqlStatement<OneOf & { role: Role }, unknown>(
  `update identity.memberships set role = $3 where brand_id = $1 and person_id = $2 and status = 'active'`,
  'brand_id',
  'person_id',
  'role',
)
const remove = sqlStatement<OneOf, unknown>(
  `update identity.memberships set status = 'removed', removed_at = platform.now()
   where brand_id = $1 and person_id = $2 and status = 'active'`,
  'brand_id',
  'person_id',
)
const revokeTokens = sqlStatement<OneOf, unknown>(
  `update identity.tokens set revoked_at = platform.now()
   where brand_id = $1 and person_id = $2 and revoked_at is null`,
  'brand_id',
  'person_id',
)
const leaveSessions = sqlStatement<OneOf, unknown>(
  `update identity.sessions set brand_id = null, updated_at = platform.now() where brand_id = $1 and person_id = $2`,
  'brand_id',
  'person_id',
)
// Somebody who is a member already keeps their role: an invitation is no way to change it.
const join = sqlStatement<OneOf & { role: Role }, unknown>(
  `insert into identity.memberships as m (brand_id, person_id, role) values ($1, $2, $3)
   on conflict (brand_id, person_id) do update
     set role = excluded.role, status = 'active', joined_at = platform.now(), removed_at = null
     where m.status = 'removed'`,
  'brand_id',
  'person_id',
  'role',
)

export const findActive = (ctx: BrandCtx, person_id: number) =>
  ctx.db.first(one, { brand_id: ctx.brandId, person_id })
export const listActiveAmong = async (ctx: BrandCtx, ids: readonly number[]): Promise<number[]> =>
  (await ctx.db.all(among, { brand_id: ctx.brandId, ids })).map(({ person_id }) => person_id)

interface Slice {
  readonly q: string | null
  readonly limit: number
  readonly offset: number
}

export const listActive = (ctx: BrandCtx, { q, limit, offset }: Slice) =>
  q === null
    ? ctx.db.all(page, { brand_id: ctx.brandId, limit, offset })
    : ctx.db.all(pageMatching, { brand_id: ctx.brandId, q, limit, offset })
export const countActive = async (ctx: BrandCtx, q: string | null): Promise<number> => {
  const { brandId: brand_id } = ctx
  const found = q === null ? ctx.db.first(count, { brand_id }) : ctx.db.first(countMatching, { brand_id, q })
  return (await found)?.total ?? 0
}
export const lockAdmins = async (ctx: BrandTx): Promise<number[]> =>
  (await ctx.db.all(lockAll, { brand_id: ctx.brandId })).map(({ person_id }) => person_id)
export const lockActive = (ctx: BrandTx, person_id: number) =>
  ctx.db.run(hold, { brand_id: ctx.brandId, person_id })
export const updateRole = (ctx: BrandTx, person_id: number, role: Role) =>
  ctx.db.run(setRole, { brand_id: ctx.brandId, person_id, role })
export const updateRemoved = (ctx: BrandTx, person_id: number) =>
  ctx.db.run(remove, { brand_id: ctx.brandId, person_id })
export const updateTokensRevoked = (ctx: BrandTx, person_id: number) =>
  ctx.db.run(revokeTokens, { brand_id: ctx.brandId, person_id })
export const updateSessionsLeft = (ctx: BrandTx, person_id: number) =>
  ctx.db.run(leaveSessions, { brand_id: ctx.brandId, person_id })
export const insertOrReturn = (ctx: BrandTx, person_id: number, role: Role) =>
  ctx.db.run(join, { brand_id: ctx.brandId, person_id, role })
