import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'
import { live, type RevokedRow, revokedColumns } from './tokens.store.ts'

type OfAgent = { readonly agent_id: string }

const ofAgent = (p: Named<OfAgent & { brand_id: number }>) =>
  sql`t.brand_id = ${p.brand_id} and t.agent_id = ${p.agent_id} and ${live}`
// In id order, like everything that locks several members.
const hold = brandStatement<OfAgent, unknown>(
  (p) => sql`select 1 from identity.memberships m
   where m.brand_id = ${p.brand_id} and m.person_id in (select t.person_id from identity.tokens t where ${ofAgent(p)})
   order by m.person_id for no key update`,
)
const revoke = brandStatement<OfAgent, RevokedRow>(
  (p) => sql`update identity.tokens t set revoked_at = platform.now() where ${ofAgent(p)}
   returning ${revokedColumns}`,
)

/** Nothing else changes which of their tokens live until the commit. */
export const lockHoldersOf = (ctx: BrandTx, agent_id: string) => ctx.db.run(hold, { agent_id })
export const updateRevokedOf = (ctx: BrandTx, agent_id: string) => ctx.db.all(revoke, { agent_id })
