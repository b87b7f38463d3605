import type { FeatureKey } from '@crewhall/contracts/workspaces/features.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface SwitchRow {
  readonly key: FeatureKey
  readonly is_on: boolean
  readonly changed_by: number
  readonly changed_at: string
}

const list = sqlStatement<{ brand_id: number }, SwitchRow>(
  'select key, is_on, changed_by, changed_at from workspaces.feature_switches where brand_id = $1',
  'brand_id',
)
// A switch that nobody has set has no row that could be locked.
const lock = sqlStatement<{ brand_id: number; key: FeatureKey }, unknown>(
  `select pg_advisory_xact_lock(hashtext('workspaces.feature_switches.' || $2), $1)`,
  'brand_id',
  'key',
)
const put = sqlStatement<{ brand_id: number; key: FeatureKey; is_on: boolean; changed_by: number }, unknown>(
  `insert into workspaces.feature_switches (brand_id, key, is_on, changed_by) values ($1, $2, $3, $4)
   on conflict (brand_id, key) do update
   set is_on = excluded.is_on, changed_by = excluded.changed_by, changed_at = platform.clock_now()`,
  'brand_id',
  'key',
  'is_on',
  'changed_by',
)
const navigation = sqlStatement<{ brand_id: number }, { new_navigation: boolean }>(
  'select new_navigation from workspaces.preferences where brand_id = $1',
  'brand_id',
)

export const listSwitches = (ctx: BrandCtx) => ctx.db.all(list, { brand_id: ctx.brandId })
export const lockSwitch = (ctx: BrandTx, key: FeatureKey) => ctx.db.run(lock, { brand_id: ctx.brandId, key })
export const upsertSwitch = (ctx: BrandTx, change: { key: FeatureKey; is_on: boolean; changed_by: number }) =>
  ctx.db.run(put, { brand_id: ctx.brandId, ...change })
export const findNavigation = (ctx: BrandCtx) => ctx.db.first(navigation, { brand_id: ctx.brandId })
