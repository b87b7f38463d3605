import { effortChoices, modelChoices, settings } from '@crewhall/contracts/profiles/coder-profiles.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveSettings } from './build.rules.ts'
import { type CatalogProfile, catalog } from './catalog.rules.ts'
import {
  deriveChanges,
  nextOverrides,
  noOverrides,
  type Overrides,
  refusalOfOverride,
  refusalOfReset,
  type SettingChange,
  survivingOverrides,
} from './overrides.rules.ts'
import { versionOf } from './profile-version.ts'

const profile = fc.constantFrom(...catalog)

/** Bodies as callers send them: good values, values that one rule or another refuses, and strange fields. */
const body = fc.record(
  {
    model: fc.oneof(fc.constantFrom(...modelChoices, 'MiniMax-M3'), fc.constant(null)),
    effort: fc.oneof(fc.constantFrom(...effortChoices, 'max'), fc.integer()),
    limit_value: fc.oneof(fc.integer({ min: -5, max: 600 }), fc.constantFrom(2.5, '5', true, null)),
    env: fc.constant({}),
    wall_minutes: fc.integer(),
  },
  { requiredKeys: [] },
)
const step = fc.oneof(
  body.map((sent) => ({ kind: 'put' as const, sent })),
  fc.constantFrom(...settings, 'env', 'reason').map((field) => ({ kind: 'reset' as const, field })),
)
type Step = { kind: 'put'; sent: Record<string, unknown> } | { kind: 'reset'; field: string }

/** The module's own way through a sequence: what is stored, and the records of it. */
function carriedOut(of: CatalogProfile, steps: readonly Step[]) {
  let stored: Overrides = noOverrides
  const records: SettingChange[] = []
  for (const each of steps) {
    const refusal = each.kind === 'put' ? refusalOfOverride(of, each.sent) : refusalOfReset(of, each.field)
    if (refusal) continue
    const after = nextOverrides(stored, each.kind === 'put' ? each.sent : { [each.field]: null })
    records.push(...deriveChanges(stored, after))
    stored = after
  }
  return { stored, records }
}

/** The interface's words, told a second time and without the rules: which values are taken at all. */
function isTaken({ key, limit_value }: CatalogProfile, field: string, value: unknown): boolean {
  const coder = key.split('.')[0] ?? ''
  if (field === 'model')
    return !['codex', 'openhands'].includes(coder) && modelChoices.includes(String(value))
  if (field === 'effort') return coder !== 'openhands' && effortChoices.includes(String(value))
  if (field !== 'limit_value' || limit_value === null) return false
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= limit_value
}

describe('after any sequence of changes and resets', () => {
  test('a profile is the platform defaults overlaid with the changes that survived', () => {
    fc.assert(
      fc.property(profile, fc.array(step, { maxLength: 20 }), (of, steps) => {
        const expected: Record<string, unknown> = {
          model: of.model,
          effort: of.effort,
          limit_value: of.limit_value,
        }
        for (const each of steps as Step[]) {
          if (each.kind === 'reset') {
            const defaults: Record<string, unknown> = { ...of }
            if (each.field in expected) expected[each.field] = defaults[each.field]
          } else if (
            Object.keys(each.sent).length > 0 &&
            Object.entries(each.sent).every(([field, value]) => isTaken(of, field, value))
          ) {
            Object.assign(expected, each.sent)
          }
        }
        const { model, effort, limits } = deriveSettings(of, carriedOut(of, steps as Step[]).stored)
        expect({ model, effort, limit_value: limits.max_turns ?? limits.max_steps }).toEqual(expected)
      }),
      { numRuns: scaled(2000, 500) },
    )
  })

  test('the history replayed backwards gives the defaults', () => {
    fc.assert(
      fc.property(profile, fc.array(step, { maxLength: 20 }), (of, steps) => {
        const { stored, records } = carriedOut(of, steps as Step[])
        const at: Record<string, string | null> = {}
        for (const field of settings) at[field] = stored[field] === null ? null : String(stored[field])
        for (const { field, old_value, new_value } of records.toReversed()) {
          expect(at[field]).toBe(new_value)
          expect(old_value).not.toBe(new_value)
          at[field] = old_value
        }
        expect(at).toEqual(noOverrides)
      }),
      { numRuns: scaled(2000, 500) },
    )
  })

  test('two versions are equal exactly when the settings of the build are', () => {
    fc.assert(
      fc.property(profile, profile, fc.array(step), fc.array(step), (one, other, first, second) => {
        const a = deriveSettings(one, carriedOut(one, first as Step[]).stored)
        const b = deriveSettings(other, carriedOut(other, second as Step[]).stored)
        const areEqual = JSON.stringify(a) === JSON.stringify(b)
        expect(versionOf(a) === versionOf(b)).toBe(areEqual)
      }),
      { numRuns: scaled(2000, 500) },
    )
  })
})

test('no two versions of all 30 profiles with all their choices are equal by accident', () => {
  const seen = new Map<string, string>()
  for (const of of catalog) {
    const limits = of.limit_value === null ? [null] : [null, 1, of.limit_value]
    for (const model of [null, ...modelChoices]) {
      for (const effort of [null, ...effortChoices]) {
        for (const limit_value of limits) {
          const build = deriveSettings(of, { model, effort, limit_value })
          const text = JSON.stringify(build)
          expect(seen.get(versionOf(build)) ?? text).toBe(text)
          seen.set(versionOf(build), text)
        }
      }
    }
  }
  expect(seen.size).toBeGreaterThan(100)
})

test('the order in which env was written does not move the version', () => {
  const of = catalog.find(({ key }) => key === 'openhands.hard')
  if (!of) throw new Error('there is no openhands.hard')
  const build = deriveSettings(of, noOverrides)
  const turned = Object.fromEntries(Object.entries(build.env ?? {}).reverse())
  expect(versionOf({ ...build, env: turned })).toBe(versionOf(build))
  expect(versionOf({ ...build, env: { ...turned, LLM_NUM_RETRIES: '9' } })).not.toBe(versionOf(build))
})

test('what the catalog would refuse today does not survive', () => {
  const of = catalog.find(({ key }) => key === 'claude.docs')
  if (!of) throw new Error('there is no claude.docs')
  const stored = { model: 'claude-opus-4', effort: 'high', limit_value: 81 }
  expect(survivingOverrides(of, stored)).toEqual({ model: null, effort: 'high', limit_value: null })
})
