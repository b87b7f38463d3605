import type { SystemTx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { live, type RevokedRow, revokedColumns } from './tokens.store.ts'

const brands = statement<{ person_id: number }, { brand_id: number }>(
  (p) => sql`select m.brand_id from identity.memberships m
   where m.person_id = ${p.person_id} and exists (
     select from identity.tokens t where t.brand_id = m.brand_id and t.person_id = ${p.person_id} and ${live})
   order by m.brand_id`,
)
const revoke = statement<{ brand_id: number; person_id: number }, RevokedRow>(
  (p) => sql`update identity.tokens t set revoked_at = platform.now()
   where t.brand_id = ${p.brand_id} and t.person_id = ${p.person_id} and ${live}
   returning ${revokedColumns}`,
)

/** Over all brands, in the order of their ids. */
export const listBrandsWithTokens = (ctx: SystemTx, person_id: number) => ctx.db.all(brands, { person_id })
export const updateAllRevoked = (ctx: SystemTx, brand_id: number, person_id: number) =>
  ctx.db.all(revoke, { brand_id, person_id })
