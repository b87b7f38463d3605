import {
  type FeatureKey,
  type FeatureSwitch,
  type Features,
  featureKeys,
  heldBy,
} from '@crewhall/contracts/workspaces/features.ts'
import { deriveState } from './features.rules.ts'
import type { SwitchRow } from './features.store.ts'

export type Held = Readonly<Partial<Record<FeatureKey, number>>>

export interface FeatureFacts {
  readonly new_navigation: boolean
  readonly plan_features: readonly string[]
  readonly rows: readonly SwitchRow[]
  /** Names of the admins in `rows`, by id. */
  readonly names: ReadonlyMap<number, string>
  readonly held: Held
}

export function presentFeatures(facts: FeatureFacts): Features {
  const switches = featureKeys.map((key) => [key, presentSwitch(facts, key)] as const)
  return {
    new_navigation: facts.new_navigation,
    switches: Object.fromEntries(switches) as Record<FeatureKey, FeatureSwitch>,
  }
}

function presentSwitch({ plan_features, rows, names, held }: FeatureFacts, key: FeatureKey): FeatureSwitch {
  const row = rows.find((each) => each.key === key)
  const count = held[key] ?? 0
  return {
    ...deriveState({ key, plan_features, chosen: row?.is_on, held: count }),
    changed_by: row ? { user_id: row.changed_by, name: names.get(row.changed_by) ?? '' } : null,
    changed_at: row?.changed_at ?? null,
    holds: { [heldBy[key]]: count },
  }
}
