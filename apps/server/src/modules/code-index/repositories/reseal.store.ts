import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

interface Place {
  readonly brand_id: number
  readonly project_id: string
}
/** What is sealed for the repository of a project. */
export type Sealed = 'credential' | 'push_secret'
export interface SealedRow extends Place {
  readonly credential: Buffer | null
  readonly push_secret: Buffer | null
}

const after = statement<Place & { limit: number }, SealedRow>(
  (p) => sql`select brand_id, project_id, credential, push_secret from code_index.repositories
   where (brand_id, project_id) > (${p.brand_id}, ${p.project_id})
     and (credential is not null or push_secret is not null)
   order by brand_id, project_id limit ${p.limit}`,
)
interface Resealed extends Place {
  readonly was: Buffer
  readonly sealed: Buffer
}
// One that was replaced meanwhile lies under the current key already, and stays.
const replace = {
  credential: statement<Resealed, unknown>(
    (p) => sql`update code_index.repositories set credential = ${p.sealed}
     where brand_id = ${p.brand_id} and project_id = ${p.project_id} and credential = ${p.was}`,
  ),
  push_secret: statement<Resealed, unknown>(
    (p) => sql`update code_index.repositories set push_secret = ${p.sealed}
     where brand_id = ${p.brand_id} and project_id = ${p.project_id} and push_secret = ${p.was}`,
  ),
}

/** Over all brands: the key is the installation's. */
export const listSealedAfter = (ctx: SystemCtx, { brand_id, project_id }: Place, limit: number) =>
  ctx.overBrands().db.all(after, { brand_id, project_id, limit })
export const updateSealed = (ctx: SystemCtx, what: Sealed, { brand_id, project_id, was, sealed }: Resealed) =>
  ctx.overBrands().db.run(replace[what], { brand_id, project_id, was, sealed })
