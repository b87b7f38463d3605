import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

interface Place {
  readonly brand_id: number
  readonly id: string
}
export interface SealedRow extends Place {
  readonly secret: Buffer
  readonly old_secret: Buffer | null
}

const after = statement<Place & { limit: number }, SealedRow>(
  (p) => sql`select brand_id, id, secret, old_secret from boards.hooks
   where (brand_id, id) > (${p.brand_id}, ${p.id}) order by brand_id, id limit ${p.limit}`,
)
// A secret that was rotated meanwhile lies under the current key already, and stays.
const replace = statement<SealedRow & { was_secret: Buffer; was_old_secret: Buffer | null }, unknown>(
  (p) => sql`update boards.hooks set secret = ${p.secret}, old_secret = ${p.old_secret}
   where brand_id = ${p.brand_id} and id = ${p.id} and secret = ${p.was_secret} and old_secret is not distinct
     from ${p.was_old_secret}`,
)

/** Over all brands: the key is the installation's. */
export const listSealedAfter = (ctx: SystemCtx, place: Place, limit: number) =>
  ctx.overBrands().db.all(after, { ...place, limit })
export const updateSealed = (ctx: SystemCtx, was: SealedRow, is: Pick<SealedRow, 'secret' | 'old_secret'>) =>
  ctx.overBrands().db.run(replace, { ...was, ...is, was_secret: was.secret, was_old_secret: was.old_secret })
