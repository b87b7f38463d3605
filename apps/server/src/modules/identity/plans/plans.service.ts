import { brandNotFound } from '@crewhall/contracts/identity/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import * as store from './plans.store.ts'

export interface PlanFacts {
  readonly key: string
  readonly features: readonly string[]
  /** How many desks it may have, those that are dormant aside. */
  readonly desk_cap: number
  /** How many sources of conversations it may have. */
  readonly source_cap: number
}

/** What the workspace may use, as of this statement. */
export async function planOf(ctx: BrandCtx): Promise<PlanFacts> {
  const plan = await store.findPlan(ctx)
  if (!plan) throw brandNotFound()
  return plan
}

/** The same for a change that depends on it: the plan cannot change before this transaction has ended. */
export async function lockPlan(ctx: BrandTx): Promise<PlanFacts> {
  const plan = await store.lockPlan(ctx)
  if (!plan) throw brandNotFound()
  return plan
}

export async function brandNameOf(ctx: BrandCtx): Promise<string> {
  const name = await store.findBrandName(ctx)
  if (name === undefined) throw brandNotFound()
  return name
}
