import { adminRequired } from '@crewhall/contracts/identity/refusals.ts'
import { type FeatureKey, type Features, notInPlan } from '@crewhall/contracts/workspaces/features.ts'
import { listPeople, lockPlan, planOf } from '#modules/identity'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { FeatureHoldings } from '../workspaces.ports.ts'
import { type Held, presentFeatures } from './features.present.ts'
import { isLocked } from './features.rules.ts'
import * as store from './features.store.ts'

export interface FeatureDeps {
  readonly holdings: readonly FeatureHoldings[]
}

export async function getFeatures(ctx: BrandCtx, { holdings }: FeatureDeps): Promise<Features> {
  const held = await countHeld(ctx, holdings)
  const { features } = await planOf(ctx)
  return featuresNow(ctx, features, held)
}

interface FeatureSwitch {
  readonly key: FeatureKey
  readonly on: boolean
}

export async function changeSwitch(
  ctx: BrandCtx,
  { holdings }: FeatureDeps,
  { key, on }: FeatureSwitch,
): Promise<Features> {
  if (ctx.actor.kind !== 'person') throw adminRequired()
  const changed_by = ctx.actor.person_id
  // Counted outside: what a feature holds may lie in another store, and a transaction waits for nobody.
  const held = await countHeld(ctx, holdings)
  return ctx.tx(async (ctx) => {
    await store.lockSwitch(ctx, key)
    const { features } = await lockPlan(ctx)
    // FEAT-22, FEAT-24: only turning on has a condition.
    if (on && isLocked(features, key)) throw notInPlan()
    const before = (await store.listSwitches(ctx)).find((row) => row.key === key)
    await store.upsertSwitch(ctx, { key, is_on: on, changed_by })
    const answer = await featuresNow(ctx, features, held)
    await ctx.audit({
      action: 'feature.changed',
      target: `feature:${key}`,
      from: before?.is_on ?? null,
      to: on,
    })
    return answer
  })
}

async function featuresNow(ctx: BrandCtx, plan_features: readonly string[], held: Held): Promise<Features> {
  const rows = await store.listSwitches(ctx)
  const people = await listPeople(
    ctx,
    rows.map(({ changed_by }) => changed_by),
  )
  const names = new Map(people.map(({ id, full_name }) => [id, full_name]))
  const new_navigation = (await store.findNavigation(ctx))?.new_navigation ?? true
  return presentFeatures({ new_navigation, plan_features, rows, names, held })
}

/** Providers of one feature add up; a feature without one holds nothing. */
async function countHeld(ctx: BrandCtx, holdings: readonly FeatureHoldings[]): Promise<Held> {
  const counts = await Promise.all(
    holdings.map(async (each) => [each.feature, await each.count(ctx)] as const),
  )
  const held: Partial<Record<FeatureKey, number>> = {}
  for (const [feature, count] of counts) held[feature] = (held[feature] ?? 0) + count
  return held
}
