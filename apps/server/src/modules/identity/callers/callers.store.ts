import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

/** Everything that decides what a credential may do, read in one statement. */
export interface CallerRow {
  readonly credential_id: string
  readonly person_id: number
  readonly name: string
  readonly is_staff: boolean
  readonly is_verified: boolean
  readonly brand_id: number | null
  readonly role: 'admin' | 'member' | null
  readonly scopes: string[] | null
  readonly ceiling: string[] | null
  readonly expires_at: string
  readonly epoch: number | null
  /** Null for a token. */
  readonly session_version: number | null
  readonly agent: string | null
  readonly agent_id: string | null
  /** Whether nobody has noted yet that it is used today. */
  readonly is_new_today: boolean
}

// AUTH-G15: no row for a token whose owner is no longer an active member, or whose agent is retired. The service of an
// agent is no member, and owns tokens of that agent alone.
const byToken = statement<{ hash: string }, CallerRow>(
  (p) => sql`select t.id::text as credential_id, t.person_id, p.full_name as name, p.is_staff,
          p.email_verified as is_verified, t.brand_id, m.role, t.scopes,
          b.scope_ceiling as ceiling, t.expires_at, b.auth_epoch as epoch, null::int as session_version,
          coalesce(a.name, t.agent) as agent, t.agent_id,
          t.last_used_on is distinct from platform.now()::date as is_new_today
   from identity.tokens t
   join identity.memberships m on m.brand_id = t.brand_id and m.person_id = t.person_id
     and (m.status = 'active' or (m.status = 'service' and m.agent_id = t.agent_id))
   join identity.brands b on b.id = t.brand_id
   join identity.people p on p.id = t.person_id
   left join identity.agents a on a.brand_id = t.brand_id and a.agent_id = t.agent_id
   where t.token_hash = decode(${p.hash}, 'hex') and t.revoked_at is null and t.expires_at > platform.now()
     and t.kind <> 'connection' and (t.agent_id is null or a.status = 'active')`,
)

// A session outlives the membership it acted for; it then acts for no workspace.
const bySession = statement<{ hash: string }, CallerRow>(
  (p) => sql`select s.id::text as credential_id, s.person_id, p.full_name as name, p.is_staff,
          p.email_verified as is_verified, m.brand_id, m.role,
          null::text[] as scopes, b.scope_ceiling as ceiling, s.expires_at, b.auth_epoch as epoch,
          s.version as session_version, null::text as agent, null::text as agent_id,
          s.last_used_on is distinct from platform.now()::date as is_new_today
   from identity.sessions s
   join identity.people p on p.id = s.person_id
   left join identity.memberships m on m.brand_id = s.brand_id and m.person_id = s.person_id
     and m.status = 'active'
   left join identity.brands b on b.id = m.brand_id
   where s.token_hash = ${p.hash} and s.expires_at > platform.now()`,
)

const touchToken = statement<{ hash: string }, unknown>(
  (p) => sql`update identity.tokens set last_used_on = platform.now()::date
   where token_hash = decode(${p.hash}, 'hex') and last_used_on is distinct from platform.now()::date`,
)

const touchSession = statement<{ hash: string }, unknown>(
  (p) => sql`update identity.sessions set last_used_on = platform.now()::date
   where token_hash = ${p.hash} and last_used_on is distinct from platform.now()::date`,
)

export const findCallerByToken = (ctx: SystemCtx, hash: string) =>
  ctx.overBrands().db.first(byToken, { hash })
export const findCallerBySession = (ctx: SystemCtx, hash: string) =>
  ctx.overBrands().db.first(bySession, { hash })
export const updateLastUsed = (ctx: SystemCtx, credential: 'token' | 'session', hash: string) =>
  credential === 'token' ? ctx.overBrands().db.run(touchToken, { hash }) : ctx.db.run(touchSession, { hash })
