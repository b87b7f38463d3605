import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, type Parameter, type Sql, sql } from '#platform/db/statement.ts'

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
  readonly agent_id: string | null
  /** A connection stands for a program that a person has let in; its access tokens are not listed beside it. */
  readonly kind: 'personal' | 'connection' | 'access'
}

/** The name of the agent, as it is now; otherwise the name that the token was given. */
export const agentName = `coalesce((select a.name from identity.agents a
                 where a.brand_id = t.brand_id and a.agent_id = t.agent_id), t.agent)`
/** What is known of a token that has just been revoked. */
export type RevokedRow = Pick<
  TokenRow,
  'id' | 'name' | 'person_id' | 'scopes' | 'expires_at' | 'agent' | 'agent_id'
>
export const revokedColumns = `t.id, t.name, t.person_id, t.scopes, t.expires_at, ${agentName} as agent, t.agent_id`

const columns = `t.id, t.name, t.person_id, p.full_name as person_name, t.last_four, t.scopes, t.expires_at,
                 case t.kind when 'connection' then (select max(a.last_used_on) from identity.tokens a
                   where a.brand_id = t.brand_id and a.issued_by = t.id) else t.last_used_on end as last_used_on,
                 t.created_at, ${agentName} as agent, t.agent_id, t.kind`
export const live = `t.revoked_at is null and t.expires_at > platform.now()`

// Tokens of one workspace are few: at most `maxLive` per person, checked when one is made.
const list = brandStatement<{ person_id: number | null; limit: number }, TokenRow>(
  (p) => sql`select ${columns} from identity.tokens t join identity.people p on p.id = t.person_id
   where t.brand_id = ${p.brand_id} and (${p.person_id}::int is null or t.person_id = ${p.person_id})
     and t.kind <> 'access' and ${live}
   order by t.created_at desc, t.id limit ${p.limit}`,
)
// What a token has issued ends before it does, so the walk over live ones finds all, and no more than are live.
const branchFrom = (id: Parameter | Sql, p: Named<{ brand_id: number }>) => sql`with recursive branch as (
     select t.id from identity.tokens t where t.brand_id = ${p.brand_id} and t.id = ${id} and ${live}
     union select t.id from identity.tokens t join branch b on t.issued_by = b.id
     where t.brand_id = ${p.brand_id} and ${live})`
const branch = (p: Named<{ brand_id: number; id: string }>) => branchFrom(p.id, p)
const listBranch = brandStatement<{ id: string; limit: number }, TokenRow>(
  (p) => sql`${branch(p)}
   select ${columns} from identity.tokens t join identity.people p on p.id = t.person_id
   where t.brand_id = ${p.brand_id} and t.id in (select id from branch) order by t.created_at desc, t.id
     limit ${p.limit}`,
)
const one = brandStatement<{ id: string }, TokenRow>(
  (p) => sql`select ${columns} from identity.tokens t join identity.people p on p.id = t.person_id
   where t.brand_id = ${p.brand_id} and t.id = ${p.id} and ${live}`,
)
// Whose it is stands in the statement, as the workspace does: what another person has is as good as missing.
const own = (p: Named<{ brand_id: number; id: string; person_id: number }>) =>
  sql`t.brand_id = ${p.brand_id} and t.id = ${p.id} and t.person_id = ${p.person_id} and ${live}`
const ownOne = brandStatement<{ id: string; person_id: number }, TokenRow>(
  (p) => sql`select ${columns} from identity.tokens t join identity.people p on p.id = t.person_id
   where ${own(p)}`,
)
const ceiling = brandStatement<object, { scope_ceiling: string[] }>(
  (p) => sql`select scope_ceiling from identity.brands where id = ${p.brand_id}`,
)
const add = brandStatement<
  {
    id: string
    person_id: number
    name: string
    last_four: string
    hash: string
    scopes: readonly string[]
    days: number
    agent: string | null
    agent_id: string | null
    issued_by: string | null
  },
  unknown
>(
  (p) => sql`insert into identity.tokens (brand_id, id, person_id, name, last_four, token_hash, scopes,
     agent, agent_id, issued_by, expires_at)
   select ${p.brand_id}, ${p.id}, ${p.person_id}, ${p.name}, ${p.last_four},
     decode(${p.hash}, 'hex'), ${p.scopes}, ${p.agent}, ${p.agent_id}, ${p.issued_by},
     least(platform.now() + make_interval(days => ${p.days}),
       (select i.expires_at from identity.tokens i where i.brand_id = ${p.brand_id} and i.id = ${p.issued_by}))`,
)
// Everything that changes which tokens of a person live takes turns, with the end of the membership too: a count,
// or a walk over what a token has issued, is as good as its lock.
const lock = brandStatement<{ person_id: number }, { status: 'active' | 'service' }>(
  (p) => sql`select status from identity.memberships
   where brand_id = ${p.brand_id} and person_id = ${p.person_id} and status <> 'removed' for no key update`,
)
// A program that loses one of its access tokens must not fetch another.
const whole = (
  p: Named<{ brand_id: number; id: string }>,
) => sql`coalesce((select a.issued_by from identity.tokens a
     where a.brand_id = ${p.brand_id} and a.id = ${p.id} and a.kind = 'access'), ${p.id})`
const revoke = brandStatement<{ id: string }, RevokedRow>(
  (p) => sql`${branchFrom(whole(p), p)}
   update identity.tokens t set revoked_at = platform.now()
   where t.brand_id = ${p.brand_id} and t.id in (select id from branch)
   returning ${revokedColumns}`,
)
interface NewSecret {
  readonly id: string
  readonly person_id: number
  readonly hash: string
  readonly last_four: string
  readonly issued_by: string | null
}
const replace = brandStatement<NewSecret, unknown>(
  (p) => sql`update identity.tokens t set token_hash = decode(${p.hash}, 'hex'), last_four = ${p.last_four},
     issued_by = coalesce(${p.issued_by}, t.issued_by), expires_at = least(t.expires_at,
       (select i.expires_at from identity.tokens i where i.brand_id = ${p.brand_id} and i.id = ${p.issued_by}))
   where ${own(p)}`,
)

export const listTokens = (ctx: BrandCtx, person_id: number | null, limit: number) =>
  ctx.db.all(list, { person_id, limit })
export const findToken = (ctx: BrandCtx, id: string) => ctx.db.first(one, { id })
export const findOwnToken = (ctx: BrandCtx, person_id: number, id: string) =>
  ctx.db.first(ownOne, { id, person_id })
export const findCeiling = async (ctx: BrandCtx) => (await ctx.db.first(ceiling, {}))?.scope_ceiling ?? []
/** The token itself and what was issued with it. */
export const listTokensUnder = (ctx: BrandCtx, id: string, limit: number) =>
  ctx.db.all(listBranch, { id, limit })
/** Nothing when the person is neither a member nor the service of an agent any more. */
export const lockHolder = async (ctx: BrandTx, person_id: number) =>
  (await ctx.db.first(lock, { person_id }))?.status
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
    agent_id: string | null
    issued_by: string | null
  },
) => ctx.db.run(add, { ...token })
/** With everything that was issued with it; an access token with its connection. */
export const updateRevoked = (ctx: BrandTx, id: string) => ctx.db.all(revoke, { id })
export const updateSecret = (ctx: BrandTx, token: NewSecret) => ctx.db.run(replace, { ...token })
