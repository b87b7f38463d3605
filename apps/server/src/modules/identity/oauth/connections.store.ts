import type { BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import { agentName, live } from '../tokens/tokens.store.ts'
import type { SecretKind, SecretUse } from './exchange.rules.ts'

/** A connection that still holds, with whoever has made it. */
export interface ConnectionRow {
  readonly brand_id: number
  readonly token_id: string
  readonly client_id: string
  readonly redirect_uri: string
  readonly challenge: string
  readonly resource: string
  readonly person_id: number
  readonly person_name: string
  readonly is_verified: boolean
  readonly role: 'admin' | 'member'
  readonly name: string
  readonly scopes: string[]
  readonly expires_at: string
  readonly agent: string | null
  readonly agent_id: string | null
}

const columns = `c.brand_id, c.token_id, c.client_id, c.redirect_uri, c.challenge, c.resource, t.person_id,
     p.full_name as person_name, p.email_verified as is_verified, m.role, t.name, t.scopes, t.expires_at,
     ${agentName} as agent, t.agent_id`
const held = `identity.oauth_connections c
   join identity.tokens t on t.brand_id = c.brand_id and t.id = c.token_id and t.kind = 'connection' and ${live}
   join identity.memberships m on m.brand_id = t.brand_id and m.person_id = t.person_id and m.status = 'active'
   join identity.people p on p.id = t.person_id`

const bySecret = statement<{ digest: string; kind: SecretKind }, ConnectionRow>(
  (p) => sql`select ${columns} from ${held}
   join identity.oauth_secrets s on s.brand_id = c.brand_id and s.token_id = c.token_id
   where s.digest = decode(${p.digest}, 'hex') and s.kind = ${p.kind}`,
)
const byAccess = statement<{ digest: string }, ConnectionRow>(
  (p) => sql`select ${columns} from ${held}
   join identity.tokens a on a.brand_id = c.brand_id and a.issued_by = c.token_id and a.kind = 'access'
   where a.token_hash = decode(${p.digest}, 'hex')`,
)

interface NewConnection {
  readonly id: string
  readonly person_id: number
  readonly name: string
  readonly hash: string
  readonly scopes: readonly string[]
  readonly seconds: number
  readonly agent: string | null
  readonly agent_id: string | null
}
const addConnection = brandStatement<NewConnection, { expires_at: string }>(
  (
    p,
  ) => sql`insert into identity.tokens (brand_id, id, person_id, name, kind, last_four, token_hash, scopes, agent,
     agent_id, expires_at)
   values (${p.brand_id}, ${p.id}, ${p.person_id}, ${p.name}, 'connection', '', decode(${p.hash}, 'hex'), ${p.scopes},
     ${p.agent}, ${p.agent_id}, platform.now() + make_interval(secs => ${p.seconds}))
   returning expires_at`,
)
interface Asked {
  readonly token_id: string
  readonly client_id: string
  readonly redirect_uri: string
  readonly challenge: string
  readonly resource: string
}
const addAsked = brandStatement<Asked, unknown>(
  (
    p,
  ) => sql`insert into identity.oauth_connections (brand_id, token_id, client_id, redirect_uri, challenge, resource)
   values (${p.brand_id}, ${p.token_id}, ${p.client_id}, ${p.redirect_uri}, ${p.challenge}, ${p.resource})`,
)
const addSecret = brandStatement<{ token_id: string; digest: string; kind: SecretKind }, unknown>(
  (p) => sql`insert into identity.oauth_secrets (brand_id, token_id, digest, kind)
   values (${p.brand_id}, ${p.token_id}, decode(${p.digest}, 'hex'), ${p.kind})`,
)
const use = brandStatement<{ digest: string; minutes: number }, SecretUse>(
  (p) => sql`select s.used_at is not null as is_used,
     coalesce(s.used_at > platform.now() - make_interval(mins => ${p.minutes}), false) as is_recent
   from identity.oauth_secrets s
   join identity.tokens t on t.brand_id = s.brand_id and t.id = s.token_id and ${live}
   where s.brand_id = ${p.brand_id} and s.digest = decode(${p.digest}, 'hex')`,
)
// The first use counts: the time in which it may come again does not begin anew.
const noteUse = brandStatement<{ digest: string }, unknown>(
  (p) => sql`update identity.oauth_secrets set used_at = platform.now()
   where brand_id = ${p.brand_id} and digest = decode(${p.digest}, 'hex') and used_at is null`,
)
interface Renewed {
  readonly token_id: string
  readonly last_four: string
  readonly days: number
  readonly most_days: number
}
const renew = brandStatement<Renewed, unknown>(
  (p) => sql`update identity.tokens set last_four = ${p.last_four}, expires_at = least(
     platform.now() + make_interval(days => ${p.days}), created_at + make_interval(days => ${p.most_days}))
   where brand_id = ${p.brand_id} and id = ${p.token_id}`,
)
const liveAccess = brandStatement<{ token_id: string }, { id: string }>(
  (
    p,
  ) => sql`select t.id from identity.tokens t where t.brand_id = ${p.brand_id} and t.issued_by = ${p.token_id}
     and t.kind = 'access' and ${live} order by t.created_at, t.id`,
)
interface NewAccess {
  readonly id: string
  readonly token_id: string
  readonly hash: string
  readonly last_four: string
  readonly scopes: readonly string[]
  readonly hours: number
}
// Under the id of one that it takes the place of, so that what that one has issued still ends with the connection.
const addAccess = brandStatement<NewAccess, { expires_at: string }>(
  (
    p,
  ) => sql`insert into identity.tokens as t (brand_id, id, person_id, name, kind, last_four, token_hash, scopes, agent,
     agent_id, issued_by, expires_at)
   select c.brand_id, ${p.id}, c.person_id, c.name, 'access', ${p.last_four}, decode(${p.hash}, 'hex'), ${p.scopes},
     c.agent, c.agent_id, c.id, least(platform.now() + make_interval(hours => ${p.hours}), c.expires_at)
   from identity.tokens c where c.brand_id = ${p.brand_id} and c.id = ${p.token_id}
   on conflict (brand_id, id) do update set last_four = excluded.last_four, token_hash = excluded.token_hash,
     scopes = excluded.scopes, created_at = excluded.created_at, expires_at = excluded.expires_at
   returning t.expires_at`,
)
// Long after it was used, nobody brings one again.
const old = statement<{ limit: number; days: number }, unknown>(
  (p) => sql`delete from identity.oauth_secrets where (brand_id, digest) in (
     select brand_id, digest from identity.oauth_secrets
     where used_at < platform.now() - make_interval(days => ${p.days})
     order by used_at limit ${p.limit} for update skip locked)`,
)

export const findBySecret = (ctx: SystemCtx, kind: SecretKind, digest: string) =>
  ctx.overBrands().db.first(bySecret, { digest, kind })
export const findByAccess = (ctx: SystemCtx, digest: string) =>
  ctx.overBrands().db.first(byAccess, { digest })
export const insertConnection = (ctx: BrandTx, token: NewConnection) =>
  ctx.db.first(addConnection, { ...token })
export const insertAsked = (ctx: BrandTx, asked: Asked) => ctx.db.run(addAsked, { ...asked })
export const insertSecret = (ctx: BrandTx, token_id: string, kind: SecretKind, digest: string) =>
  ctx.db.run(addSecret, { token_id, digest, kind })
/** Nothing if the connection has ended. */
export const findUse = (ctx: BrandTx, digest: string, minutes: number) =>
  ctx.db.first(use, { digest, minutes })
export const updateUsed = (ctx: BrandTx, digest: string) => ctx.db.run(noteUse, { digest })
export const updateRenewed = (ctx: BrandTx, renewed: Renewed) => ctx.db.run(renew, { ...renewed })
/** The oldest first. */
export const listLiveAccess = async (ctx: BrandTx, token_id: string): Promise<string[]> =>
  (await ctx.db.all(liveAccess, { token_id })).map(({ id }) => id)
export const insertOrReplaceAccess = (ctx: BrandTx, access: NewAccess) =>
  ctx.db.first(addAccess, { ...access })
export const deleteUsedSecrets = (ctx: SystemCtx, limit: number, days: number) =>
  ctx.overBrands().db.run(old, { limit, days })
