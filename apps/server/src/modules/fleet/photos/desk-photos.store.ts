import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

export interface PhotoRow {
  readonly object_key: string
  readonly digest: string
}
type OfDesk = { readonly desk_id: string }

const one = brandStatement<OfDesk, PhotoRow>(
  (p) => sql`select object_key, digest from fleet.desk_photos
   where brand_id = ${p.brand_id} and desk_id = ${p.desk_id}`,
)
const put = brandStatement<OfDesk & PhotoRow, unknown>(
  (p) => sql`insert into fleet.desk_photos (brand_id, desk_id, object_key, digest)
   values (${p.brand_id}, ${p.desk_id}, ${p.object_key}, ${p.digest})
   on conflict on constraint desk_photos_pkey do update
   set object_key = excluded.object_key, digest = excluded.digest, updated_at = platform.now()`,
)
const drop = brandStatement<OfDesk, PhotoRow>(
  (p) => sql`delete from fleet.desk_photos where brand_id = ${p.brand_id} and desk_id = ${p.desk_id}
   returning object_key, digest`,
)
const named = brandStatement<{ object_keys: readonly string[] }, { object_key: string }>(
  (p) => sql`select object_key from fleet.desk_photos where brand_id = ${p.brand_id}
     and object_key = any(${p.object_keys})`,
)
const position = statement<object, { after_key: string }>(
  () => sql`select after_key
     from fleet.photo_sweeps`,
)
const move = statement<{ after_key: string }, unknown>(
  (p) => sql`update fleet.photo_sweeps set after_key = ${p.after_key}`,
)

export const findPhoto = (ctx: BrandCtx, desk_id: string) => ctx.db.first(one, { desk_id })
export const upsertPhoto = (ctx: BrandTx, desk_id: string, photo: PhotoRow) =>
  ctx.db.run(put, { desk_id, ...photo })
export const deletePhoto = (ctx: BrandTx, desk_id: string) => ctx.db.first(drop, { desk_id })
export const listNamedKeys = async (ctx: BrandCtx, object_keys: readonly string[]) =>
  (await ctx.db.all(named, { object_keys })).map(({ object_key }) => object_key)
export const findSweepPosition = async (ctx: SystemCtx) => (await ctx.db.first(position, {}))?.after_key ?? ''
export const updateSweepPosition = (ctx: SystemCtx, after_key: string) => ctx.db.run(move, { after_key })
