import type { FeatureKey } from '@crewhall/contracts/workspaces/features.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface SwitchRow {
  readonly key: FeatureKey
  readonly is_on: boolean
  readonly changed_by: number
  readonly changed_at: string
}

const list = brandStatement<object, SwitchRow>(
  (p) => sql`select key, is_on, changed_by, changed_at from workspaces.feature_switches
     where brand_id = ${p.brand_id}`,
)
// A switch that nobody has set has no row that could be locked.
const lock = brandStatement<{ key: FeatureKey }, unknown>(
  (p) =>
    sql`select pg_advisory_xact_lock(hashtext('workspaces.feature_switches.' || ${p.key}), ${p.brand_id})`,
)
const put = brandStatement<{ key: FeatureKey; is_on: boolean; changed_by: number }, unknown>(
  (p) => sql`insert into workspaces.feature_switches (brand_id, key, is_on, changed_by)
     values (${p.brand_id}, ${p.key}, ${p.is_on}, ${p.changed_by})
   on conflict (brand_id, key) do update
   set is_on = excluded.is_on, changed_by = excluded.changed_by, changed_at = platform.clock_now()`,
)
const navigation = brandStatement<object, { new_navigation: boolean }>(
  (p) => sql`select new_navigation from workspaces.preferences where brand_id = ${p.brand_id}`,
)

export const listSwitches = (ctx: BrandCtx) => ctx.db.all(list, {})
export const lockSwitch = (ctx: BrandTx, key: FeatureKey) => ctx.db.run(lock, { key })
export const upsertSwitch = (ctx: BrandTx, change: { key: FeatureKey; is_on: boolean; changed_by: number }) =>
  ctx.db.run(put, { ...change })
export const findNavigation = (ctx: BrandCtx) => ctx.db.first(navigation, {})
