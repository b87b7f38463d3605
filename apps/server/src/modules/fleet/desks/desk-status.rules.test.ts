import { deskStates } from '@crewhall/contracts/fleet/desk.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { environmentStatusOf, isDormant, type SilenceFacts, stateAfter } from './desk-status.rules.ts'

test('ENV-07, ENV-09: each state has one name of its own in the environment', () => {
  expect(deskStates.map(environmentStatusOf)).toEqual(['provisioned', 'active', 'unreachable', 'suspended'])
})

test.each([
  ['provisioning', 'suspended', 'suspended'],
  ['ready', 'suspended', 'suspended'],
  ['unreachable', 'suspended', 'suspended'],
  ['suspended', 'suspended', 'suspended'],
  ['suspended', 'provisioned', 'provisioning'],
  ['provisioning', 'provisioned', 'provisioning'],
  ['ready', 'provisioned', 'ready'],
  ['unreachable', 'provisioned', 'unreachable'],
  ['ready', undefined, 'ready'],
  ['suspended', undefined, 'suspended'],
] as const)('ENV-05, ENV-06, ENV-G2, ENV-G3: %s set to %s is %s', (state, status, after) => {
  expect(stateAfter(state, status)).toBe(after)
})

const now = new Date('2026-03-01T00:00:00Z')
const day = 24 * 60 * 60 * 1000
const ago = (days: number, ms = 0) => new Date(now.getTime() - days * day - ms).toISOString()
const silent = (more: Partial<SilenceFacts>): SilenceFacts => ({
  state: 'ready',
  created_at: ago(100),
  last_seen_at: null,
  resumed_at: null,
  ...more,
})

test.each<[string, Partial<SilenceFacts>, boolean]>([
  ['ordered exactly 14 days ago and never heard', { created_at: ago(14) }, false],
  ['ordered a millisecond earlier', { created_at: ago(14, 1) }, true],
  ['heard exactly 14 days ago', { last_seen_at: ago(14) }, false],
  ['heard a millisecond earlier', { last_seen_at: ago(14, 1) }, true],
  ['heard long ago and resumed yesterday', { last_seen_at: ago(90), resumed_at: ago(1) }, false],
  ['resumed long ago and heard yesterday', { last_seen_at: ago(1), resumed_at: ago(90) }, false],
  ['resumed too long ago', { last_seen_at: ago(90), resumed_at: ago(14, 1) }, true],
  ['suspended for ever', { state: 'suspended' }, false],
])('DESK-45, DESK-50, DESK-G16: a desk that was %s', (_, more, dormant) => {
  expect(isDormant(silent(more), now)).toBe(dormant)
})

test('DESK-45: in every state but suspended, what was heard within 14 days is never dormant, and the rest is', () => {
  const time = fc.integer({ min: 0, max: 60 * day }).map((ms) => new Date(now.getTime() - ms).toISOString())
  const facts = fc.record({
    state: fc.constantFrom(...deskStates),
    created_at: time,
    last_seen_at: fc.option(time),
    resumed_at: fc.option(time),
  })
  fc.assert(
    fc.property(facts, (desk) => {
      const latest = [desk.created_at, desk.last_seen_at, desk.resumed_at].filter((each) => each !== null)
      const isSilent = latest.every((each) => now.getTime() - Date.parse(each) > 14 * day)
      expect(isDormant(desk, now)).toBe(desk.state !== 'suspended' && isSilent)
    }),
  )
})
