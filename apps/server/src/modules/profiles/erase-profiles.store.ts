import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'

const tables = [
  deletingRows('profiles.overrides', 'profile_key'),
  deletingRows('profiles.changes', 'profile_key', 'id'),
  deletingRows('profiles.closed_coders', 'coder'),
]

/** Each deletes at most `limit` rows of a workspace. */
export const profileRowsOfBrand = tables.map(
  (table) => (ctx: BrandCtx, limit: number) => ctx.db.run(table, { limit }),
)
