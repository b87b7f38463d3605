import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface SealedRow {
  readonly brand_id: number
  readonly id: string
  readonly secret: Buffer
  readonly old_secret: Buffer | null
}

interface Place {
  readonly brand_id: number
  readonly id: string
}

const after = sqlStatement<Place & { limit: number }, SealedRow>(
  `select brand_id, id, secret, old_secret from webhooks.endpoints
   where (brand_id, id) > ($1, $2) order by brand_id, id limit $3`,
  'brand_id',
  'id',
  'limit',
)
// A secret that was rotated meanwhile lies under the current key already, and stays.
const replace = sqlStatement<
  SealedRow & { was_secret: Buffer; was_old_secret: Buffer | null },
  { id: string }
>(
  `update webhooks.endpoints set secret = $3, old_secret = $4
   where brand_id = $1 and id = $2 and secret = $5 and old_secret is not distinct from $6 returning id`,
  'brand_id',
  'id',
  'secret',
  'old_secret',
  'was_secret',
  'was_old_secret',
)

/** Over all brands: the key is the installation's. */
export const listSealedAfter = (ctx: SystemCtx, place: Place, limit: number) =>
  ctx.overBrands().db.all(after, { ...place, limit })
export const updateSealed = (ctx: SystemCtx, was: SealedRow, is: Pick<SealedRow, 'secret' | 'old_secret'>) =>
  ctx.overBrands().db.run(replace, { ...was, ...is, was_secret: was.secret, was_old_secret: was.old_secret })
