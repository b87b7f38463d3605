import { expect, test } from 'vitest'
import { deriveState, isLocked } from './features.rules.ts'

const plans = { with: ['crm', 'feed'], without: ['feed'] } as const

test.each([
  ['with', undefined, 0, true, false, 'plan_default'],
  ['with', undefined, 1, true, false, 'data_default'],
  ['with', true, 0, true, false, 'admin'],
  ['with', false, 9, false, false, 'admin'],
  ['without', undefined, 0, false, true, 'plan_default'],
  ['without', undefined, 1, false, true, 'data_default'],
  ['without', true, 0, false, true, 'admin'],
  ['without', false, 1, false, true, 'admin'],
] as const)(
  'a plan %s the feature, chosen %s, holding %s: on %s, locked %s, from %s',
  (plan, chosen, held, on, locked_by_plan, source) => {
    const state = deriveState({ key: 'crm', plan_features: plans[plan], chosen, held })
    expect(state).toEqual({ on, locked_by_plan, source })
  },
)

test('words of a plan that are no feature open nothing', () => {
  expect(isLocked(['CRM', 'crm ', 'constructor'], 'crm')).toBe(true)
})
