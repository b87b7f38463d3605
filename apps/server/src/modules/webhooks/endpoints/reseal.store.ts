import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

export interface SealedRow {
  readonly brand_id: number
  readonly id: string
  readonly secret: Buffer
  readonly old_secret: Buffer | null
}

interface EndpointRef {
  readonly brand_id: number
  readonly id: string
}

const after = statement<EndpointRef & { limit: number }, SealedRow>(
  (p) => sql`select brand_id, id, secret, old_secret from webhooks.endpoints
   where (brand_id, id) > (${p.brand_id}, ${p.id}) order by brand_id, id limit ${p.limit}`,
)
// A secret that was rotated meanwhile lies under the current key already, and stays.
const replace = statement<SealedRow & { was_secret: Buffer; was_old_secret: Buffer | null }, { id: string }>(
  (p) => sql`update webhooks.endpoints set secret = ${p.secret}, old_secret = ${p.old_secret}
   where brand_id = ${p.brand_id} and id = ${p.id} and secret = ${p.was_secret} and old_secret is not distinct
     from ${p.was_old_secret} returning id`,
)

/** Over all brands: the key is the installation's. */
export const listSealedAfter = (ctx: SystemCtx, place: EndpointRef, limit: number) =>
  ctx.overBrands().db.all(after, { ...place, limit })
export const updateSealed = (ctx: SystemCtx, was: SealedRow, is: Pick<SealedRow, 'secret' | 'old_secret'>) =>
  ctx.overBrands().db.run(replace, { ...was, ...is, was_secret: was.secret, was_old_secret: was.old_secret })
