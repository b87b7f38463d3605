import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

export interface SealedRow {
  readonly brand_id: number
  readonly project_id: string
  readonly credential: Buffer
}
type Place = Omit<SealedRow, 'credential'>

const after = statement<Place & { limit: number }, SealedRow>(
  (p) => sql`select brand_id, project_id, credential from code_index.repositories
   where (brand_id, project_id) > (${p.brand_id}, ${p.project_id}) and credential is not null
   order by brand_id, project_id limit ${p.limit}`,
)
// One that was replaced meanwhile lies under the current key already, and stays.
const replace = statement<SealedRow & { was: Buffer }, unknown>(
  (p) => sql`update code_index.repositories set credential = ${p.credential}
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} and credential = ${p.was}`,
)

/** Over all brands: the key is the installation's. */
export const listSealedAfter = (ctx: SystemCtx, place: Place, limit: number) =>
  ctx.overBrands().db.all(after, { ...place, limit })
export const updateSealed = (ctx: SystemCtx, { credential: was, ...place }: SealedRow, credential: Buffer) =>
  ctx.overBrands().db.run(replace, { ...place, credential, was })
