import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface TokenRow {
  readonly id: string
  readonly name: string
  readonly person_id: number
  readonly person_name: string
  readonly last_four: string
  readonly scopes: string[]
  readonly expires_at: string
  readonly last_used_on: string | null
  readonly created_at: string
  readonly agent: string | null
}

const columns = `t.id, t.name, t.person_id, p.full_name as person_name, t.last_four, t.scopes, t.expires_at,
                 t.last_used_on, t.created_at, t.agent`
const live = `t.revoked_at is null and t.expires_at > platform.now()`

// Tokens of one workspace are few: at most `maxLive` per person, checked when one is made.
const list = sqlStatement<{ brand_id: number; person_id: number | null; limit: number }, TokenRow>(
  `select ${columns} from identity.tokens t join identity.people p on p.id = t.person_id
   where t.brand_id = $1 and ($2::int is null or t.person_id = $2) and ${live}
   order by t.created_at desc, t.id limit $3`,
  'brand_id',
  'person_id',
  'limit',
)
// What a token has issued ends before it does, so the walk over live ones finds all, and no more than are live.
const branch = `with recursive branch as (
     select t.id from identity.tokens t where t.brand_id = $1 and t.id = $2 and ${live}
     union select t.id from identity.tokens t join branch b on t.issued_by = b.id
     where t.brand_id = $1 and ${live})`
const listBranch = sqlStatement<{ brand_id: number; id: string; limit: number }, TokenRow>(
  `${branch}
   select ${columns} from identity.tokens t join identity.people p on p.id = t.person_id
   where t.brand_id = $1 and t.id in (select id from branch) order by t.created_at desc, t.id limit $3`,
  'brand_id',
  'id',
  'limit',
)
const one = sqlStatement<{ brand_id: number; id: string }, TokenRow>(
  `select ${columns} from identity.tokens t join identity.people p on p.id = t.person_id
   where t.brand_id = $1 and t.id = $2 and ${live}`,
  'brand_id',
  'id',
)
const ceiling = sqlStatement<{ brand_id: number }, { scope_ceiling: string[] }>(
  'select scope_ceiling from identity.brands where id = $1',
  'brand_id',
)
const add = sqlStatement<
  {
    brand_id: number
    id: string
    person_id: number
    name: string
    last_four: string
    hash: string
    scopes: readonly string[]
    days: number
    agent: string | null
    issued_by: string | null
  },
  unknown
>(
  `insert into identity.tokens (brand_id, id, person_id, name, last_four, token_hash, scopes, agent, issued_by,
     expires_at)
   select $1, $2, $3, $4, $5, decode($6, 'hex'), $7, $9, $10,
     least(platform.now() + make_interval(days => $8),
       (select i.expires_at from identity.tokens i where i.brand_id = $1 and i.id = $10))`,
  'brand_id',
  'id',
  'person_id',
  'name',
  'last_four',
  'hash',
  'scopes',
  'days',
  'agent',
  'issued_by',
)
// Everything that changes which tokens of a person live takes turns, with the end of the membership too: a count,
// or a walk over what a token has issued, is as good as its lock.
const lock = sqlStatement<{ brand_id: number; person_id: number }, unknown>(
  `select 1 from identity.memberships
   where brand_id = $1 and person_id = $2 and status = 'active' for no key update`,
  'brand_id',
  'person_id',
)
const revoke = sqlStatement<
  { brand_id: number; id: string },
  Pick<TokenRow, 'id' | 'name' | 'person_id' | 'scopes' | 'expires_at' | 'agent'>
>(
  `${branch}
   update identity.tokens t set revoked_at = platform.now()
   where t.brand_id = $1 and t.id in (select id from branch)
   returning t.id, t.name, t.person_id, t.scopes, t.expires_at, t.agent`,
  'brand_id',
  'id',
)
const replace = sqlStatement<
  { brand_id: number; id: string; hash: string; last_four: string; issued_by: string | null },
  unknown
>(
  `update identity.tokens t set token_hash = decode($3, 'hex'), last_four = $4, issued_by = coalesce($5, t.issued_by),
     expires_at = least(t.expires_at,
       (select i.expires_at from identity.tokens i where i.brand_id = $1 and i.id = $5))
   where t.brand_id = $1 and t.id = $2 and ${live}`,
  'brand_id',
  'id',
  'hash',
  'last_four',
  'issued_by',
)

export const listTokens = (ctx: BrandCtx, person_id: number | null, limit: number) =>
  ctx.db.all(list, { brand_id: ctx.brandId, person_id, limit })
export const findToken = (ctx: BrandCtx, id: string) => ctx.db.first(one, { brand_id: ctx.brandId, id })
export const findCeiling = async (ctx: BrandCtx) =>
  (await ctx.db.first(ceiling, { brand_id: ctx.brandId }))?.scope_ceiling ?? []
/** The token itself and what was issued with it. */
export const listTokensUnder = (ctx: BrandCtx, id: string, limit: number) =>
  ctx.db.all(listBranch, { brand_id: ctx.brandId, id, limit })
/** Nothing when the person is no member any more. */
export const lockHolder = async (ctx: BrandTx, person_id: number): Promise<boolean> =>
  (await ctx.db.run(lock, { brand_id: ctx.brandId, person_id })) > 0
export const insertToken = (
  ctx: BrandTx,
  token: {
    id: string
    person_id: number
    name: string
    last_four: string
    hash: string
    scopes: readonly string[]
    days: number
    agent: string | null
    issued_by: string | null
  },
) => ctx.db.run(add, { brand_id: ctx.brandId, ...token })
/** With everything that was issued with it. */
export const updateRevoked = (ctx: BrandTx, id: string) => ctx.db.all(revoke, { brand_id: ctx.brandId, id })
export const updateSecret = (
  ctx: BrandTx,
  token: { id: string; hash: string; last_four: string; issued_by: string | null },
) => ctx.db.run(replace, { brand_id: ctx.brandId, ...token })
