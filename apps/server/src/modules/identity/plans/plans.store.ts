import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

interface PlanRow {
  readonly key: string
  readonly features: string[]
  readonly desk_cap: number
  readonly source_cap: number
}
const ofBrand = brandStatement<object, PlanRow>(
  (p) => sql`select p.key, p.features, p.desk_cap, p.source_cap
     from identity.brands b join identity.plans p on p.key = b.plan_key where b.id = ${p.brand_id}`,
)
// Two statements, the row of the brand first: a single one that waited for a change of plan would continue with the old
// plan and find nothing.
const lockBrand = brandStatement<object, { plan_key: string }>(
  (p) => sql`select plan_key from identity.brands where id = ${p.brand_id} for share`,
)
const lockByKey = statement<{ key: string }, PlanRow>(
  (p) => sql`select key, features, desk_cap, source_cap from identity.plans where key = ${p.key} for share`,
)
const nameOf = brandStatement<object, { name: string }>(
  (p) => sql`select name from identity.brands where id = ${p.brand_id}`,
)

export const findBrandName = async (ctx: BrandCtx) => (await ctx.db.first(nameOf, {}))?.name
export const findPlan = (ctx: BrandCtx) => ctx.db.first(ofBrand, {})
/** Until the end of the transaction the brand stays on this plan, and the plan as it is. */
export async function lockPlan(ctx: BrandTx) {
  const brand = await ctx.db.first(lockBrand, {})
  return brand && ctx.db.first(lockByKey, { key: brand.plan_key })
}
