import type { FeatureKey, FeatureSwitch } from '@crewhall/contracts/workspaces/features.ts'

interface Facts {
  readonly key: FeatureKey
  /** What the plan of the workspace includes now. */
  readonly plan_features: readonly string[]
  /** What an admin has chosen; undefined when nobody has. */
  readonly chosen: boolean | undefined
  /** How many items the feature holds. */
  readonly held: number
}

export const isLocked = (plan_features: readonly string[], key: FeatureKey): boolean =>
  !plan_features.includes(key)

/**
 * FEAT-G2, FEAT-G7: a feature outside the plan is off, whatever was chosen; the choice is kept and counts again
 * with a plan that includes it. Inside the plan it is on until an admin turns it off.
 */
export function deriveState({
  key,
  plan_features,
  chosen,
  held,
}: Facts): Pick<FeatureSwitch, 'on' | 'locked_by_plan' | 'source'> {
  const locked_by_plan = isLocked(plan_features, key)
  const source = chosen !== undefined ? 'admin' : held > 0 ? 'data_default' : 'plan_default'
  return { on: !locked_by_plan && (chosen ?? true), locked_by_plan, source }
}
