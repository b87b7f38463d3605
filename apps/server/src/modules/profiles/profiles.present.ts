import type { CoderProfile } from '@crewhall/contracts/profiles/coder-profiles.ts'
import { deriveSettings } from './build.rules.ts'
import { type CatalogProfile, catalog } from './catalog.rules.ts'
import { noOverrides, type Overrides, survivingOverrides } from './overrides.rules.ts'
import { versionOf } from './profile-version.ts'

/** A profile on the wire. Without changes of the workspace it is the same for everybody, and made once. */
export const presentProfile = (profile: CatalogProfile, stored: Overrides | undefined): CoderProfile =>
  (stored ? undefined : unchanged.get(profile.key)) ?? present(profile, stored ?? noOverrides)

function present(profile: CatalogProfile, stored: Overrides): CoderProfile {
  const settings = deriveSettings(profile, stored)
  const held = survivingOverrides(profile, stored)
  const sourceOf = (value: unknown) => (value === null ? 'platform' : 'brand')
  return {
    key: profile.key,
    version: versionOf(settings),
    coder: settings.coder,
    recommended_for: [...profile.recommended_for],
    model: settings.model,
    effort: settings.effort,
    fallback_model: settings.fallback_model,
    limits: settings.limits,
    env: settings.env,
    reason: profile.reason,
    sources: {
      model: sourceOf(held.model),
      effort: sourceOf(held.effort),
      limit_value: sourceOf(held.limit_value),
    },
    platform_defaults: { model: profile.model, effort: profile.effort, limit_value: profile.limit_value },
  }
}

/** About 30 kB each with its JSON. Workspaces that changed nothing, or the same, share one. */
const maxLists = 500
const lists = new Map<string, readonly CoderProfile[]>()

/** All profiles, made once for each set of changes. Nobody may alter what it returns. */
export function presentCatalog(overrides: ReadonlyMap<string, Overrides>): readonly CoderProfile[] {
  const changes = JSON.stringify([...overrides])
  let list = lists.get(changes)
  if (!list) {
    if (lists.size >= maxLists) lists.clear()
    list = catalog.map((profile) => presentProfile(profile, overrides.get(profile.key)))
    lists.set(changes, list)
  }
  return list
}

const unchanged = new Map(catalog.map((profile) => [profile.key, present(profile, noOverrides)]))
