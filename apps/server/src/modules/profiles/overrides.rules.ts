import {
  effortChoices,
  modelChoices,
  type Setting,
  settings,
} from '@crewhall/contracts/profiles/coder-profiles.ts'
import * as refused from '@crewhall/contracts/profiles/refusals.ts'
import type { Refusal } from '@crewhall/contracts/refusal.ts'
import type { CatalogProfile } from './catalog.rules.ts'

/** What a workspace changed in a profile; null where the platform's value holds. */
export interface Overrides {
  readonly model: string | null
  readonly effort: string | null
  readonly limit_value: number | null
}

export const noOverrides: Overrides = { model: null, effort: null, limit_value: null }

export interface SettingChange {
  readonly field: Setting
  readonly old_value: string | null
  readonly new_value: string | null
}

/** PROF-46, PROF-G8: closed for good. `venv` is the virtual environment of OpenHands; more names may follow. */
const platformOnly = new Set(['fallback_model', 'tools', 'permissions', 'credentials', 'env', 'venv'])

const isSetting = (field: string): field is Setting => (settings as readonly string[]).includes(field)

type Body = Readonly<Record<string, unknown>>

/** PROF-G10: empty, platform-only, unknown, model, effort, limit; returns the first error. */
export function refusalOfOverride(profile: CatalogProfile, body: Body): Refusal | undefined {
  const fields = Object.keys(body)
  if (fields.length === 0) return refused.noOverrideField()
  const closed = fields.find((field) => platformOnly.has(field))
  if (closed !== undefined) return refused.platformOnly(closed)
  const unknown = fields.find((field) => !isSetting(field))
  if (unknown !== undefined) return refused.notEditable(unknown)
  for (const field of settings) {
    if (!Object.hasOwn(body, field)) continue
    // PROF-54, PROF-58: whether the profile takes the setting comes before what the value is.
    const refusal = profile.refuses[field]?.() ?? refusalOfValue(profile, field, body[field])
    if (refusal) return refusal
  }
  return undefined
}

function refusalOfValue(profile: CatalogProfile, field: Setting, value: unknown): Refusal | undefined {
  if (field === 'model') return isOneOf(modelChoices, value) ? undefined : refused.modelUnknown()
  if (field === 'effort') return isOneOf(effortChoices, value) ? undefined : refused.effortUnknown()
  const most = profile.limit_value
  if (most === null) return refused.takesNoLimit()
  // PROF-59: a boolean, a text and 2.5 are not whole numbers; none of them is a fault of type.
  if (!Number.isInteger(value) || Number(value) < 1) return refused.limitNotInRange(most)
  return Number(value) > most ? refused.limitAbovePlatform(Number(value), most) : undefined
}

const isOneOf = (choices: readonly string[], value: unknown): boolean =>
  typeof value === 'string' && choices.includes(value)

/** PROF-65 to PROF-67: a setting that cannot be set cannot be reset either, and says the same. */
export function refusalOfReset(profile: CatalogProfile, field: string): Refusal | undefined {
  if (platformOnly.has(field)) return refused.platformOnly(field)
  if (!isSetting(field)) return refused.notEditable(field)
  return profile.refuses[field]?.()
}

/** PROF-43: settings that are not in the body keep what they have. Only for a body that is not refused. */
export const nextOverrides = (before: Overrides, body: Body): Overrides => ({ ...before, ...body })

/** PROF-G7, PROF-64: one for each setting that really changed. PROF-39: values are text. */
export function deriveChanges(before: Overrides, after: Overrides): SettingChange[] {
  return settings
    .filter((field) => before[field] !== after[field])
    .map((field) => ({ field, old_value: asText(before[field]), new_value: asText(after[field]) }))
}

const asText = (value: string | number | null): string | null => (value === null ? null : String(value))

/**
 * What of the changes still holds. The catalog moves with releases: a value that it would refuse today, such
 * as a limit above a lowered default, gives way to the platform's, because a profile never fails a build.
 */
export function survivingOverrides(profile: CatalogProfile, stored: Overrides): Overrides {
  const held = settings.filter(
    (field) => stored[field] !== null && !refusalOfOverride(profile, { [field]: stored[field] }),
  )
  return { ...noOverrides, ...Object.fromEntries(held.map((field) => [field, stored[field]])) }
}
