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
  },
  unknown
>(
  `insert into identity.tokens (brand_id, id, person_id, name, last_four, token_hash, scopes, expires_at,
     agent)
   values ($1, $2, $3, $4, $5, decode($6, 'hex'), $7, platform.now() + make_interval(days => $8), $9)`,
  'brand_id',
  'id',
  'person_id',
  'name',
  'last_four',
  'hash',
  'scopes',
  'days',
  'agent',
)
const revoke = sqlStatement<
  { brand_id: number; id: string; person_id: number | null },
  Pick<TokenRow, 'name' | 'person_id' | 'scopes' | 'expires_at' | 'agent'>
>(
  `update identity.tokens t set revoked_at = platform.now()
   where t.brand_id = $1 and t.id = $2 and ($3::int is null or t.person_id = $3) and ${live}
   returning t.name, t.person_id, t.scopes, t.expires_at, t.agent`,
  'brand_id',
  'id',
  'person_id',
)
const replace = sqlStatement<
  { brand_id: number; id: string; person_id: number; hash: string; last_four: string },
  unknown
>(
  `update identity.tokens t set token_hash = decode($4, 'hex'), last_four = $5
   where t.brand_id = $1 and t.id = $2 and t.person_id = $3 and ${live}`,
  'brand_id',
  'id',
  'person_id',
  'hash',
  'last_four',
)

export const listTokens = (ctx: BrandCtx, person_id: number | null, limit: number) =>
  ctx.db.all(list, { brand_id: ctx.brandId, person_id, limit })
export const findToken = (ctx: BrandCtx, id: string) => ctx.db.first(one, { brand_id: ctx.brandId, id })
export const findCeiling = async (ctx: BrandCtx) =>
  (await ctx.db.first(ceiling, { brand_id: ctx.brandId }))?.scope_ceiling ?? []
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
  },
) => ctx.db.run(add, { brand_id: ctx.brandId, ...token })
/** With a person, only a token of theirs. */
export const updateRevoked = (ctx: BrandTx, id: string, person_id: number | null) =>
  ctx.db.first(revoke, { brand_id: ctx.brandId, id, person_id })
export const updateSecret = (
  ctx: BrandTx,
  token: { id: string; person_id: number; hash: string; last_four: string },
) => ctx.db.run(replace, { brand_id: ctx.brandId, ...token })
