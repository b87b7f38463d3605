import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

interface InBrand {
  readonly brand_id: number
}
export interface PositionRow {
  readonly person_id: number
  readonly position: string | null
}

const positions = sqlStatement<InBrand & { ids: readonly number[] }, PositionRow>(
  `select person_id, position from workspaces.member_profiles where brand_id = $1 and person_id = any($2::int[])`,
  'brand_id',
  'ids',
)
// Answers the old value too, for the audit; nothing is answered when there was none.
const lock = sqlStatement<InBrand & { person_id: number }, PositionRow>(
  `select person_id, position from workspaces.member_profiles where brand_id = $1 and person_id = $2 for update`,
  'brand_id',
  'person_id',
)
const set = sqlStatement<InBrand & PositionRow, unknown>(
  `insert into workspaces.member_profiles (brand_id, person_id, position) values ($1, $2, $3)
   on conflict (brand_id, person_id) do update set position = excluded.position, updated_at = platform.now()`,
  'brand_id',
  'person_id',
  'position',
)
const remove = sqlStatement<InBrand & { person_id: number }, unknown>(
  'delete from workspaces.member_profiles where brand_id = $1 and person_id = $2',
  'brand_id',
  'person_id',
)

export const listPositions = (ctx: BrandCtx, ids: readonly number[]) =>
  ctx.db.all(positions, { brand_id: ctx.brandId, ids })
export const lockPosition = async (ctx: BrandTx, person_id: number): Promise<string | null> =>
  (await ctx.db.first(lock, { brand_id: ctx.brandId, person_id }))?.position ?? null
export const updatePosition = (ctx: BrandTx, person_id: number, position: string | null) =>
  ctx.db.run(set, { brand_id: ctx.brandId, person_id, position })
export const deleteProfile = (ctx: BrandTx, person_id: number) =>
  ctx.db.run(remove, { brand_id: ctx.brandId, person_id })
