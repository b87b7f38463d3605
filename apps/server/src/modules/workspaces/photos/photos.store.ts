import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

export interface PhotoRow {
  readonly object_key: string
  readonly content_type: 'image/jpeg' | 'image/png'
  readonly digest: string
}

interface OfPerson {
  readonly person_id: number
}

const lock = statement<{ person_id: number }, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('workspaces.member_photos'), ${p.person_id})`,
)
const one = brandStatement<OfPerson, PhotoRow>(
  (p) => sql`select object_key, content_type, digest from workspaces.member_photos
     where brand_id = ${p.brand_id} and person_id = ${p.person_id}`,
)
const digests = brandStatement<{ person_ids: readonly number[] }, { person_id: number; digest: string }>(
  (p) => sql`select person_id, digest from workspaces.member_photos where brand_id = ${p.brand_id}
     and person_id = any(${p.person_ids})`,
)
const put = brandStatement<OfPerson & PhotoRow, unknown>(
  (p) => sql`insert into workspaces.member_photos (brand_id, person_id, object_key, content_type, digest)
   values (${p.brand_id}, ${p.person_id}, ${p.object_key}, ${p.content_type}, ${p.digest})
   on conflict on constraint member_photos_pkey do update
   set object_key = excluded.object_key, content_type = excluded.content_type, digest = excluded.digest,
       updated_at = platform.now()`,
)
const drop = brandStatement<OfPerson, PhotoRow>(
  (
    p,
  ) => sql`delete from workspaces.member_photos where brand_id = ${p.brand_id} and person_id = ${p.person_id}
   returning object_key, content_type, digest`,
)
const named = brandStatement<{ object_keys: readonly string[] }, { object_key: string }>(
  (p) => sql`select object_key from workspaces.member_photos where brand_id = ${p.brand_id}
     and object_key = any(${p.object_keys})`,
)
const position = statement<object, { after_key: string }>(
  () => sql`select after_key
     from workspaces.photo_sweeps`,
)
const move = statement<{ after_key: string }, unknown>(
  (p) => sql`update workspaces.photo_sweeps set after_key = ${p.after_key}`,
)

/** Serializes changes of a person's photo, also the first upload. */
export const lockPhoto = (ctx: BrandTx, person_id: number) => ctx.db.run(lock, { person_id })
export const findPhoto = (ctx: BrandCtx, person_id: number) => ctx.db.first(one, { person_id })
export const listDigests = (ctx: BrandCtx, person_ids: readonly number[]) =>
  ctx.db.all(digests, { person_ids })
export const upsertPhoto = (ctx: BrandTx, person_id: number, photo: PhotoRow) =>
  ctx.db.run(put, { person_id, ...photo })
export const deletePhoto = (ctx: BrandTx, person_id: number) => ctx.db.first(drop, { person_id })
/** Those of the given keys that a row names. */
export const listNamedKeys = async (ctx: BrandCtx, object_keys: readonly string[]) =>
  (await ctx.db.all(named, { object_keys })).map(({ object_key }) => object_key)
export const findSweepPosition = async (ctx: SystemCtx) => (await ctx.db.first(position, {}))?.after_key ?? ''
export const updateSweepPosition = (ctx: SystemCtx, after_key: string) => ctx.db.run(move, { after_key })
