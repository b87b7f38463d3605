import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

const count = sqlStatement<{ brand_id: number; ids: readonly string[] }, { count: number }>(
  'select count(*)::int as count from boards.boards where brand_id = $1 and id = any($2::uuid[])',
  'brand_id',
  'ids',
)

export const countBoardsByIds = async (ctx: BrandCtx, ids: readonly string[]): Promise<number> =>
  (await ctx.db.first(count, { brand_id: ctx.brandId, ids }))?.count ?? 0
