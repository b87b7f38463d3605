import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

interface InstallRef {
  readonly brand_id: number
  readonly id: string
}
export interface SealedRow extends InstallRef {
  readonly credential: Buffer
}

const after = statement<InstallRef & { limit: number }, SealedRow>(
  (p) => sql`select brand_id, id, credential from marketplace.installs
   where (brand_id, id) > (${p.brand_id}, ${p.id}) and credential is not null order by brand_id, id limit ${p.limit}`,
)
// One that was replaced meanwhile lies under the current key already, and stays.
const replace = statement<SealedRow & { was: Buffer }, unknown>(
  (p) => sql`update marketplace.installs set credential = ${p.credential}
   where brand_id = ${p.brand_id} and id = ${p.id} and credential = ${p.was}`,
)

/** Over all brands: the key is the installation's. */
export const listSealedAfter = (ctx: SystemCtx, place: InstallRef, limit: number) =>
  ctx.overBrands().db.all(after, { ...place, limit })
export const updateSealed = (
  ctx: SystemCtx,
  { brand_id, id, credential: was }: SealedRow,
  credential: Buffer,
) => ctx.overBrands().db.run(replace, { brand_id, id, credential, was })
