import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'
import { live, type RevokedRow, revokedColumns } from '../tokens/tokens.store.ts'

type OfToken = { readonly id: string }
interface ServiceTokenRow {
  readonly person_id: number
  readonly agent_id: string
  readonly scopes: string[]
}

// Tokens of people are never touched here, whichever id is given.
const ofService = (p: Named<OfToken & { brand_id: number }>) =>
  sql`t.brand_id = ${p.brand_id} and t.id = ${p.id} and ${live}
     and exists (select 1 from identity.memberships m where m.brand_id = ${p.brand_id} and m.person_id = t.person_id
       and m.status = 'service' and m.agent_id = t.agent_id)`
const one = brandStatement<OfToken, ServiceTokenRow>(
  (p) => sql`select t.person_id, t.agent_id, t.scopes from identity.tokens t where ${ofService(p)}`,
)
const narrow = brandStatement<OfToken & { scopes: readonly string[] }, unknown>(
  (p) => sql`update identity.tokens t set scopes = ${p.scopes}::text[] where ${ofService(p)}`,
)
const renew = brandStatement<OfToken & { days: number }, { expires_at: string }>(
  (p) => sql`update identity.tokens t set expires_at = platform.now() + make_interval(days => ${p.days})
   where ${ofService(p)} returning t.expires_at`,
)
const revokeBut = brandStatement<{ person_id: number; kept: readonly string[] }, RevokedRow>(
  (p) => sql`update identity.tokens t set revoked_at = platform.now()
   where t.brand_id = ${p.brand_id} and t.person_id = ${p.person_id} and ${live}
     and not t.id = any(${p.kept}::uuid[])
   returning ${revokedColumns}`,
)

/** Live, and of the service of an agent. */
export const findServiceToken = (ctx: BrandTx, id: string) => ctx.db.first(one, { id })
export const updateScopes = (ctx: BrandTx, id: string, scopes: readonly string[]) =>
  ctx.db.run(narrow, { id, scopes })
export const updateRenewed = async (ctx: BrandTx, id: string, days: number) =>
  (await ctx.db.first(renew, { id, days }))?.expires_at
export const updateRevokedBut = (ctx: BrandTx, person_id: number, kept: readonly string[]) =>
  ctx.db.all(revokeBut, { person_id, kept })
