import type { BuildDesk, Skipped } from '@crewhall/contracts/profiles/build-settings.ts'
import type { CatalogProfile } from './catalog.rules.ts'
import { type Overrides, survivingOverrides } from './overrides.rules.ts'

/** What a build receives from a profile: nothing else moves its version. */
export interface ProfileSettings {
  readonly coder: CatalogProfile['coder']
  readonly model: string | null
  readonly effort: string | null
  readonly fallback_model: null
  readonly limits: {
    readonly max_turns: number | null
    readonly max_steps: number | null
    readonly wall_minutes: number | null
  }
  readonly env: CatalogProfile['env']
}

/** The platform's values, overlaid with what the workspace changed. */
export function deriveSettings(profile: CatalogProfile, stored: Overrides): ProfileSettings {
  const held = survivingOverrides(profile, stored)
  const guard = held.limit_value ?? profile.limit_value
  return {
    coder: profile.coder,
    model: held.model ?? profile.model,
    effort: held.effort ?? profile.effort,
    fallback_model: null,
    limits: {
      max_turns: profile.guard === 'max_turns' ? guard : null,
      max_steps: profile.guard === 'max_steps' ? guard : null,
      wall_minutes: profile.wall_minutes,
    },
    env: profile.env,
  }
}

/** PROF-73, PROF-76: the longer of the two, and never more than the ceiling, also without a profile. */
export const deriveBuildMinutes = (desk: BuildDesk, wallMinutes: number | null): number =>
  Math.min(desk.ceiling_minutes, Math.max(desk.limit_minutes, wallMinutes ?? 0))

/** Null when the profile applies to builds on this desk. */
export function deriveSkipped(profile: CatalogProfile | undefined, desk: BuildDesk): Skipped | null {
  if (!profile) return 'not_found'
  // PROF-70: another coder could not make sense of these settings.
  return profile.coder === desk.coder ? null : 'other_coder'
}
