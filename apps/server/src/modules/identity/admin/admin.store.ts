import { planNotFound } from '@crewhall/contracts/identity/refusals.ts'
import type { SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface PlanRow {
  readonly key: string
  readonly name: string
  readonly features: string[]
  readonly desk_cap: number
  readonly source_cap: number
}
export interface BrandRow {
  readonly id: number
  readonly name: string
  readonly plan_key: string
  readonly subscription_status: 'none' | 'active' | 'past_due' | 'canceled'
  readonly subscription_ends_at: string | null
  readonly scope_ceiling: string[]
  readonly created_at: string
}

const planColumns = 'key, name, features, desk_cap, source_cap'
const brandColumns =
  'id, name, plan_key, subscription_status, subscription_ends_at, scope_ceiling, created_at'

const plans = sqlStatement<Record<never, never>, PlanRow>(
  `select ${planColumns} from identity.plans order by key`,
)
const lockOnePlan = sqlStatement<{ key: string }, PlanRow>(
  `select ${planColumns} from identity.plans where key = $1 for no key update`,
  'key',
)
const setPlan = sqlStatement<
  { key: string; name: string; features: readonly string[]; desk_cap: number; source_cap: number },
  PlanRow
>(
  `update identity.plans set name = $2, features = $3, desk_cap = $4, source_cap = $5
   where key = $1 returning ${planColumns}`,
  'key',
  'name',
  'features',
  'desk_cap',
  'source_cap',
)
const brandsAfter = sqlStatement<{ after: number; limit: number }, BrandRow>(
  `select ${brandColumns} from identity.brands where id > $1 order by id limit $2`,
  'after',
  'limit',
)
const addBrand = sqlStatement<{ name: string; plan_key: string; ceiling: readonly string[] }, BrandRow>(
  `insert into identity.brands (name, plan_key, scope_ceiling) values ($1, $2, $3) returning ${brandColumns}`,
  'name',
  'plan_key',
  'ceiling',
)
const lockOne = sqlStatement<{ id: number }, BrandRow>(
  `select ${brandColumns} from identity.brands where id = $1 for no key update`,
  'id',
)
// Each of these raises the epoch of the brand by a trigger, so remembered callers are looked up anew.
const setBrandPlan = sqlStatement<{ id: number; plan_key: string }, BrandRow>(
  `update identity.brands set plan_key = $2 where id = $1 returning ${brandColumns}`,
  'id',
  'plan_key',
)
const setSubscription = sqlStatement<{ id: number; status: string; ends_at: string | null }, BrandRow>(
  `update identity.brands set subscription_status = $2, subscription_ends_at = $3
   where id = $1 returning ${brandColumns}`,
  'id',
  'status',
  'ends_at',
)
const setCeiling = sqlStatement<{ id: number; ceiling: readonly string[] }, BrandRow>(
  `update identity.brands set scope_ceiling = $2 where id = $1 returning ${brandColumns}`,
  'id',
  'ceiling',
)

/** Stores translate the one constraint that says a plan does not exist. */
async function onKnownPlan<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw violates(error, 'brands_plan_fkey') ? planNotFound() : error
  }
}

export const listPlans = (ctx: SystemCtx) => ctx.db.all(plans, {})
export const lockPlan = (ctx: SystemTx, key: string) => ctx.db.first(lockOnePlan, { key })
export const updatePlan = (
  ctx: SystemTx,
  plan: { key: string; name: string; features: readonly string[]; desk_cap: number; source_cap: number },
) => ctx.db.first(setPlan, plan)
export const listBrandsAfter = (ctx: SystemCtx, after: number, limit: number) =>
  ctx.db.all(brandsAfter, { after, limit })
export const insertBrand = (
  ctx: SystemTx,
  brand: { name: string; plan_key: string; ceiling: readonly string[] },
) => onKnownPlan(ctx.db.first(addBrand, brand))
export const lockBrand = (ctx: SystemTx, id: number) => ctx.db.first(lockOne, { id })
export const updateBrandPlan = (ctx: SystemTx, id: number, plan_key: string) =>
  onKnownPlan(ctx.db.first(setBrandPlan, { id, plan_key }))
export const updateSubscription = (
  ctx: SystemTx,
  id: number,
  subscription: { status: string; ends_at: string | null },
) => ctx.db.first(setSubscription, { id, ...subscription })
export const updateCeiling = (ctx: SystemTx, id: number, ceiling: readonly string[]) =>
  ctx.db.first(setCeiling, { id, ceiling })
