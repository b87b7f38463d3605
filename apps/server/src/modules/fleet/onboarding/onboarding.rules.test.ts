import {
  deskStates,
  installStages,
  stallReasons,
  stepKeys,
  stepStates,
} from '@crewhall/contracts/fleet/desk.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveSteps, type OnboardingFacts } from './onboarding.rules.ts'

const ordered: OnboardingFacts = {
  state: 'provisioning',
  is_registered: false,
  beacon: null,
  has_handshake: false,
  is_link_lost: false,
  health: 'none',
  misses: 0,
  is_misrouted: false,
  is_quarantined: false,
  has_pat: true,
  is_pat_expired: false,
}
const registered = { ...ordered, is_registered: true }
const joined = { ...registered, has_handshake: true }

/** `key state reason` of each step. */
const told = (facts: OnboardingFacts) =>
  deriveSteps(facts).map(({ key, state, reason }) => `${key} ${state} ${reason}`)
const stalled = (at: number, state: string, reason: string) =>
  stepKeys.map((key, n) => {
    if (n < at) return `${key} done null`
    return n === at ? `${key} ${state} ${reason}` : `${key} blocked blocked_by:${stepKeys[at]}`
  })

test.each<[string, OnboardingFacts, string[]]>([
  ['DESK-G19: a new desk', ordered, stalled(0, 'pending', 'awaiting_callback')],
  ['DESK-G19: a desk whose machine has registered', registered, stalled(1, 'pending', 'awaiting_wg_peer')],
  [
    'DESK-G12, DESK-G19: a desk in the mesh that was never asked',
    joined,
    stalled(2, 'pending', 'awaiting_first_health_check'),
  ],
  [
    'DESK-G12: a desk that never answered a first check',
    { ...joined, health: 'missed', misses: 7 },
    stalled(2, 'pending', 'awaiting_first_health_check'),
  ],
  [
    'DESK-G19: a desk that has just answered',
    { ...joined, health: 'answered' },
    stalled(3, 'pending', 'awaiting_ready'),
  ],
  ['DESK-G20: a misrouted desk', { ...joined, is_misrouted: true }, stalled(2, 'failed', 'misrouted')],
  [
    'DESK-G20: a machine that is another desk already and never registered as this one',
    { ...ordered, is_misrouted: true },
    stalled(2, 'failed', 'misrouted'),
  ],
  [
    'DESK-63: a machine on which the installer has found another desk',
    { ...ordered, beacon: { stage: 'preflight', ok: false, exit_code: 7 } },
    stalled(2, 'failed', 'misrouted'),
  ],
  [
    'a desk that has registered, whose installer was run on such a machine before',
    { ...registered, beacon: { stage: 'preflight', ok: false, exit_code: 7 } },
    stalled(1, 'pending', 'awaiting_wg_peer'),
  ],
  [
    'DESK-G20: an unreachable desk',
    { ...joined, state: 'unreachable', health: 'missed', misses: 3 },
    stalled(2, 'failed', 'unreachable'),
  ],
  [
    'an unreachable desk that is misrouted, which says more',
    { ...joined, state: 'unreachable', is_misrouted: true, misses: 3 },
    stalled(2, 'failed', 'misrouted'),
  ],
  [
    'DESK-G20: a suspended desk',
    { ...joined, state: 'suspended', health: 'answered' },
    stalled(2, 'pending', 'suspended'),
  ],
  [
    'a suspended desk that is misrouted: nothing is asked while it is suspended',
    { ...joined, state: 'suspended', is_misrouted: true },
    stalled(2, 'pending', 'suspended'),
  ],
  [
    'a suspended desk that was never installed',
    { ...ordered, state: 'suspended' },
    stalled(0, 'pending', 'awaiting_callback'),
  ],
  [
    'a suspended desk that is not in the mesh',
    { ...registered, state: 'suspended' },
    stalled(1, 'pending', 'awaiting_wg_peer'),
  ],
  [
    'a desk outside the mesh that answers',
    { ...registered, health: 'answered' },
    stalled(3, 'pending', 'awaiting_ready'),
  ],
  [
    'DESK-G21: a ready desk',
    { ...joined, state: 'ready', health: 'answered' },
    stepKeys.map((key) => `${key} done null`),
  ],
  [
    'DESK-60: a desk of which a later fact is true already',
    { ...ordered, has_handshake: true, health: 'answered' },
    stalled(0, 'pending', 'awaiting_callback'),
  ],
])('%s', (_, facts, steps) => expect(told(facts)).toEqual(steps))

const hintOf = (facts: OnboardingFacts) => deriveSteps(facts).find(({ hint }) => hint !== null)?.hint
const beacon = (ok: boolean, exit_code: number | null = null) =>
  ({ stage: 'preflight', ok, exit_code }) as const

describe('the hint', () => {
  test.each<[string, OnboardingFacts, RegExp]>([
    ['of a new desk tells to run the command', ordered, /Run the install command/],
    ['names the last report', { ...ordered, beacon: beacon(true) }, /last report was `preflight`/],
    ['of a shell without root tells of sudo', { ...ordered, beacon: beacon(false, 6) }, /sudo bash/],
    ['of another failure names where', { ...ordered, beacon: beacon(false, 77) }, /failed at `preflight`/],
    [
      'of a failure without a code names where',
      { ...ordered, beacon: beacon(false) },
      /failed at `preflight`/,
    ],
    [
      'of an expired token comes before all reports',
      { ...ordered, beacon: beacon(false, 6), is_pat_expired: true },
      /regenerate-pat/,
    ],
    [
      'of a desk that came with a hire tells where the command is',
      { ...ordered, has_pat: false, is_pat_expired: true },
      /came with a hire.*regenerate-pat/,
    ],
    ['of a missing handshake names UDP', registered, /UDP/],
    [
      'of a desk that reports and is not heard in the network names UDP',
      { ...joined, state: 'unreachable', health: 'answered', is_link_lost: true },
      /outbound UDP to the hub is blocked/,
    ],
    ['of two machines with one key says so', { ...joined, is_quarantined: true }, /Two machines use the key/],
    ['counts the misses', { ...joined, misses: 4 }, /last 4 health checks/],
    ['counts one miss', { ...joined, misses: 1 }, /the last health check\./],
    ['of a stall tells that the desk is suspended too', { ...ordered, state: 'suspended' }, /also suspended/],
  ])('%s', (_, facts, hint) => expect(hintOf(facts)).toMatch(hint))

  test.each([2, 3, 4, 5, 6, 7, 8, 9])('of exit code %i is one of its own', (exit_code) => {
    const others = [2, 3, 4, 5, 6, 7, 8, 9].filter((code) => code !== exit_code)
    const hint = hintOf({ ...ordered, beacon: beacon(false, exit_code) })
    expect(hint).not.toMatch(/failed at/)
    for (const code of others) expect(hintOf({ ...ordered, beacon: beacon(false, code) })).not.toBe(hint)
  })

  test('of an expired token is not told once the machine has registered', () => {
    expect(hintOf({ ...registered, is_pat_expired: true })).not.toMatch(/regenerate-pat/)
  })
})

const anyFacts: fc.Arbitrary<OnboardingFacts> = fc.record({
  state: fc.constantFrom(...deskStates),
  is_registered: fc.boolean(),
  beacon: fc.option(
    fc.record({
      stage: fc.constantFrom(...installStages),
      ok: fc.boolean(),
      exit_code: fc.option(fc.integer({ min: 0, max: 255 })),
    }),
  ),
  has_handshake: fc.boolean(),
  is_link_lost: fc.boolean(),
  health: fc.constantFrom('none', 'answered', 'missed'),
  misses: fc.integer({ min: 0, max: 1000 }),
  is_misrouted: fc.boolean(),
  is_quarantined: fc.boolean(),
  has_pat: fc.boolean(),
  is_pat_expired: fc.boolean(),
})

test('DESK-51 to DESK-60: whatever is true, the checklist has one form', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const steps = deriveSteps(facts)
      expect(steps.map(({ key }) => key)).toEqual(stepKeys)
      const at = steps.findIndex(({ state }) => state !== 'done')
      const isReady = facts.state === 'ready'
      expect(at === -1).toBe(isReady)
      expect(steps.filter(({ hint }) => hint !== null)).toHaveLength(isReady ? 0 : 1)
      for (const [n, { state, reason, hint, done }] of steps.entries()) {
        expect(stepStates).toContain(state)
        expect(done).toBe(state === 'done')
        if (done) expect([reason, hint]).toEqual([null, null])
        if (n === at) {
          expect(['pending', 'failed']).toContain(state)
          expect(stallReasons).toContain(reason)
          expect(hint?.length).toBeLessThanOrEqual(300)
          expect(hint?.trim()).toMatch(/^[A-Z].*\.$/)
        }
        if (at !== -1 && n > at)
          expect([state, reason, hint]).toEqual(['blocked', `blocked_by:${steps[at]?.key}`, null])
      }
    }),
    { numRuns: 500 },
  )
})

test('DESK-61: every reason comes up', () => {
  const reasons = fc.sample(anyFacts, 3000).flatMap((facts) => deriveSteps(facts).map(({ reason }) => reason))
  for (const reason of stallReasons) expect(reasons).toContain(reason)
})
