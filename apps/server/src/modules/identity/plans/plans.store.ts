import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

const ofBrand = sqlStatement<{ brand_id: number }, { key: string; features: string[] }>(
  `select p.key, p.features from identity.brands b join identity.plans p on p.key = b.plan_key where b.id = $1`,
  'brand_id',
)
// Two statements, the row of the brand first: one that waits for a move to another plan would go on with the
// old plan and find nothing.
const lockBrand = sqlStatement<{ brand_id: number }, { plan_key: string }>(
  'select plan_key from identity.brands where id = $1 for share',
  'brand_id',
)
const lockByKey = sqlStatement<{ key: string }, { key: string; features: string[] }>(
  'select key, features from identity.plans where key = $1 for share',
  'key',
)
const nameOf = sqlStatement<{ brand_id: number }, { name: string }>(
  'select name from identity.brands where id = $1',
  'brand_id',
)

export const findBrandName = async (ctx: BrandCtx) =>
  (await ctx.db.first(nameOf, { brand_id: ctx.brandId }))?.name
export const findPlan = (ctx: BrandCtx) => ctx.db.first(ofBrand, { brand_id: ctx.brandId })
/** Until the end of the transaction the brand stays on this plan, and the plan as it is. */
export async function lockPlan(ctx: BrandTx) {
  const brand = await ctx.db.first(lockBrand, { brand_id: ctx.brandId })
  return brand && ctx.db.first(lockByKey, { key: brand.plan_key })
}
