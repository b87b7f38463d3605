import { refusal, refusalOf } from '../refusal.ts'

/** Shortens long field names for error messages. */
const shown = (field: string): string =>
  field.length > 100 ? `${[...field].slice(0, 100).join('')}…` : field

export const noOverrideField = refusal(422, 'Set at least one override field')
export const platformOnly = refusalOf(
  422,
  '<field> is platform-only and cannot be overridden',
  (field: string) => `${shown(field)} is platform-only and cannot be overridden`,
)
export const notEditable = refusalOf(
  422,
  '<field> is not an editable coder profile field',
  (field: string) => `${shown(field)} is not an editable coder profile field`,
)
export const codexTakesNoModel = refusal(422, "Codex doesn't take a model choice in a profile")
export const openHandsTakesNoModel = refusal(
  422,
  'OpenHands profiles take their model from the build, not the profile',
)
export const modelUnknown = refusal(422, 'model must be one of: claude-opus-5-5, claude-sonnet-5')
export const openHandsTakesNoEffort = refusal(422, "OpenHands doesn't take an effort choice in a profile")
export const effortUnknown = refusal(422, 'effort must be one of: low, medium, high')
export const takesNoLimit = refusal(422, "This profile doesn't take a limit choice")
export const limitNotInRange = refusalOf(
  422,
  'limit_value must be from 1 up to the platform default of <n>',
  (most: number) => `limit_value must be from 1 up to the platform default of ${most}`,
)
export const limitAbovePlatform = refusalOf(
  422,
  '<value> is above the platform limit of <n> for this profile. Lower it, or leave it at the platform default.',
  (value: number, most: number) =>
    `${value} is above the platform limit of ${most} for this profile. Lower it, or leave it at the platform default.`,
)
