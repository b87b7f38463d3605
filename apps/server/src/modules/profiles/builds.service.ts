import type { BuildDesk, BuildSettings, Skipped } from '@crewhall/contracts/profiles/build-settings.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { Outage } from '#platform/outage/outage.ts'
import { deriveBuildMinutes, deriveSettings, deriveSkipped } from './build.rules.ts'
import { findInCatalog } from './catalog.rules.ts'
import { noOverrides } from './overrides.rules.ts'
import { versionOf } from './profile-version.ts'
import { type Choices, readChoices } from './profiles.service.ts'

/**
 * The settings a build starts with. `profile` is whatever the card says. PROF-71: it never fails; missing settings are
 * left to the desk's defaults.
 */
export async function settingsOfBuild(
  ctx: BrandCtx,
  { profile, desk }: { readonly profile: unknown; readonly desk: BuildDesk },
): Promise<BuildSettings> {
  if (typeof profile !== 'string') return ownDefaults(desk, 'not_named')
  const choices = await readOrNothing(ctx)
  return choices ? resolve(profile, choices, desk) : ownDefaults(desk, 'unreadable')
}

function resolve(key: string, { overrides, closed }: Choices, desk: BuildDesk): BuildSettings {
  const found = findInCatalog(key)
  const profile = found && !closed.has(found.coder) ? found : undefined
  const skipped = deriveSkipped(profile, desk)
  if (!profile || skipped !== null) return ownDefaults(desk, skipped)
  const settings = deriveSettings(profile, overrides.get(key) ?? noOverrides)
  const { model, effort, fallback_model, limits, env } = settings
  return {
    profile_key: key,
    profile_version: versionOf(settings),
    skipped: null,
    model,
    effort,
    fallback_model,
    env,
    limits: { ...limits, wall_minutes: deriveBuildMinutes(desk, limits.wall_minutes) },
  }
}

const ownDefaults = (desk: BuildDesk, skipped: Skipped | null): BuildSettings => ({
  profile_key: null,
  profile_version: null,
  skipped,
  model: null,
  effort: null,
  fallback_model: null,
  env: null,
  limits: { max_turns: null, max_steps: null, wall_minutes: deriveBuildMinutes(desk, null) },
})

async function readOrNothing(ctx: BrandCtx): Promise<Choices | undefined> {
  try {
    return await readChoices(ctx)
  } catch (error) {
    if (!(error instanceof Outage)) throw error
    ctx.log.warn({ error }, 'build runs without its profile')
    return undefined
  }
}
