import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

const count = brandStatement<{ ids: readonly string[] }, { count: number }>(
  (p) => sql`select count(*)::int as count from boards.boards where brand_id = ${p.brand_id}
     and id = any(${p.ids}::uuid[])`,
)

export const countBoardsByIds = async (ctx: BrandCtx, ids: readonly string[]): Promise<number> =>
  (await ctx.db.first(count, { ids }))?.count ?? 0
