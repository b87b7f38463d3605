import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

export interface SealedRow {
  readonly brand_id: number
  readonly id: string
  readonly config: Buffer
}
type Place = Omit<SealedRow, 'config'>

const after = statement<Place & { limit: number }, SealedRow>(
  (p) => sql`select brand_id, id, config from conversations.sources
   where (brand_id, id) > (${p.brand_id}, ${p.id}) and deleted_at is null order by brand_id, id limit ${p.limit}`,
)
// Settings that were changed meanwhile lie under the current key already, and stay.
const replace = statement<SealedRow & { was: Buffer }, unknown>(
  (p) => sql`update conversations.sources set config = ${p.config}
   where brand_id = ${p.brand_id} and id = ${p.id} and config = ${p.was}`,
)

/** Over all brands: the key is the installation's. */
export const listSealedAfter = (ctx: SystemCtx, place: Place, limit: number) =>
  ctx.overBrands().db.all(after, { ...place, limit })
export const updateSealed = (ctx: SystemCtx, { brand_id, id, config: was }: SealedRow, config: Buffer) =>
  ctx.overBrands().db.run(replace, { brand_id, id, config, was })
