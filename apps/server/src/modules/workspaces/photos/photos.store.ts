import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface PhotoRow {
  readonly object_key: string
  readonly content_type: 'image/jpeg' | 'image/png'
  readonly digest: string
}

interface OfPerson {
  readonly brand_id: number
  readonly person_id: number
}

const lock = sqlStatement<{ person_id: number }, unknown>(
  `select pg_advisory_xact_lock(hashtext('workspaces.member_photos'), $1)`,
  'person_id',
)
const one = sqlStatement<OfPerson, PhotoRow>(
  `select object_key, content_type, digest from workspaces.member_photos where brand_id = $1 and person_id = $2`,
  'brand_id',
  'person_id',
)
const digests = sqlStatement<
  { brand_id: number; person_ids: readonly number[] },
  { person_id: number; digest: string }
>(
  `select person_id, digest from workspaces.member_photos where brand_id = $1 and person_id = any($2)`,
  'brand_id',
  'person_ids',
)
const put = sqlStatement<OfPerson & PhotoRow, unknown>(
  `insert into workspaces.member_photos (brand_id, person_id, object_key, content_type, digest)
   values ($1, $2, $3, $4, $5)
   on conflict on constraint member_photos_pkey do update
   set object_key = excluded.object_key, content_type = excluded.content_type, digest = excluded.digest,
       updated_at = platform.now()`,
  'brand_id',
  'person_id',
  'object_key',
  'content_type',
  'digest',
)
const drop = sqlStatement<OfPerson, PhotoRow>(
  `delete from workspaces.member_photos where brand_id = $1 and person_id = $2
   returning object_key, content_type, digest`,
  'brand_id',
  'person_id',
)
const named = sqlStatement<{ brand_id: number; object_keys: readonly string[] }, { object_key: string }>(
  `select object_key from workspaces.member_photos where brand_id = $1 and object_key = any($2)`,
  'brand_id',
  'object_keys',
)
const position = sqlStatement<object, { after_key: string }>('select after_key from workspaces.photo_sweeps')
const move = sqlStatement<{ after_key: string }, unknown>(
  'update workspaces.photo_sweeps set after_key = $1',
  'after_key',
)

/** One change of a person's picture at a time, also of one that is not there yet. */
export const lockPhoto = (ctx: BrandTx, person_id: number) => ctx.db.run(lock, { person_id })
export const findPhoto = (ctx: BrandCtx, person_id: number) =>
  ctx.db.first(one, { brand_id: ctx.brandId, person_id })
export const listDigests = (ctx: BrandCtx, person_ids: readonly number[]) =>
  ctx.db.all(digests, { brand_id: ctx.brandId, person_ids })
export const upsertPhoto = (ctx: BrandTx, person_id: number, photo: PhotoRow) =>
  ctx.db.run(put, { brand_id: ctx.brandId, person_id, ...photo })
export const deletePhoto = (ctx: BrandTx, person_id: number) =>
  ctx.db.first(drop, { brand_id: ctx.brandId, person_id })
/** Those of the given keys that a row names. */
export const listNamedKeys = async (ctx: BrandCtx, object_keys: readonly string[]) =>
  (await ctx.db.all(named, { brand_id: ctx.brandId, object_keys })).map(({ object_key }) => object_key)
export const findSweepPosition = async (ctx: SystemCtx) => (await ctx.db.first(position, {}))?.after_key ?? ''
export const updateSweepPosition = (ctx: SystemCtx, after_key: string) => ctx.db.run(move, { after_key })
