import { planNotFound } from '@crewhall/contracts/identity/refusals.ts'
import type { SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { sql, statement } from '#platform/db/statement.ts'

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

const plans = statement<Record<never, never>, PlanRow>(
  () => sql`select ${planColumns} from identity.plans order by key`,
)
const lockOnePlan = statement<{ key: string }, PlanRow>(
  (p) => sql`select ${planColumns} from identity.plans where key = ${p.key} for no key update`,
)
const setPlan = statement<
  { key: string; name: string; features: readonly string[]; desk_cap: number; source_cap: number },
  PlanRow
>(
  (p) => sql`update identity.plans set name = ${p.name}, features = ${p.features},
     desk_cap = ${p.desk_cap}, source_cap = ${p.source_cap}
   where key = ${p.key} returning ${planColumns}`,
)
const brandsAfter = statement<{ after: number; limit: number }, BrandRow>(
  (p) => sql`select ${brandColumns} from identity.brands where id > ${p.after} order by id limit ${p.limit}`,
)
const addBrand = statement<{ name: string; plan_key: string; ceiling: readonly string[] }, BrandRow>(
  (p) => sql`insert into identity.brands (name, plan_key, scope_ceiling)
     values (${p.name}, ${p.plan_key}, ${p.ceiling}) returning ${brandColumns}`,
)
const lockOne = statement<{ id: number }, BrandRow>(
  (p) => sql`select ${brandColumns} from identity.brands where id = ${p.id} for no key update`,
)
// Each of these raises the epoch of the brand by a trigger, so cached callers are looked up again.
const setBrandPlan = statement<{ id: number; plan_key: string }, BrandRow>(
  (p) =>
    sql`update identity.brands set plan_key = ${p.plan_key} where id = ${p.id} returning ${brandColumns}`,
)
const setSubscription = statement<{ id: number; status: string; ends_at: string | null }, BrandRow>(
  (p) => sql`update identity.brands set subscription_status = ${p.status}, subscription_ends_at = ${p.ends_at}
   where id = ${p.id} returning ${brandColumns}`,
)
const setCeiling = statement<{ id: number; ceiling: readonly string[] }, BrandRow>(
  (p) => sql`update identity.brands set scope_ceiling = ${p.ceiling} where id = ${p.id}
     returning ${brandColumns}`,
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
