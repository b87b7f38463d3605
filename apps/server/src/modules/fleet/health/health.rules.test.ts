import { deskStates } from '@crewhall/contracts/fleet/desk.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isMassMiss, nextHealth, noticeOf, type Outcome, type Watched } from './health.rules.ts'

const registered: Watched = {
  state: 'provisioning',
  misses: 0,
  is_resumed: false,
  version: null,
  digest: null,
}
const answer = { kind: 'answered', version: '0.3.0', digest: 'a' } as const
const miss = { kind: 'missed', cause: 'timeout' } as const

/** The states after each of these checks. */
function statesOf(desk: Watched, outcomes: readonly Outcome[]): string[] {
  let now = desk
  return outcomes.map((outcome) => {
    now = { ...now, ...nextHealth(now, outcome) }
    return now.state
  })
}

describe('the states of a desk', () => {
  test('DESK-39: an answer makes it ready', () => {
    expect(statesOf(registered, [answer])).toEqual(['ready'])
  })

  test('check 11, DESK-41: it is unreachable with the third miss in a row', () => {
    expect(statesOf(registered, [answer, miss, miss, miss, miss])).toEqual([
      'ready',
      'ready',
      'ready',
      'unreachable',
      'unreachable',
    ])
  })

  test('check 11: two misses and an answer, 100 times, change nothing', () => {
    const states = statesOf(registered, [answer, ...Array(100).fill([miss, miss, answer]).flat()])
    expect(new Set(states)).toEqual(new Set(['ready']))
  })

  test('DESK-G13: an unreachable one is ready with the first answer', () => {
    expect(statesOf({ ...registered, state: 'unreachable', misses: 9 }, [answer, miss, miss])).toEqual([
      'ready',
      'ready',
      'ready',
    ])
  })

  test('DESK-G12, DESK-43: one that has never answered goes on waiting', () => {
    expect(new Set(statesOf(registered, Array(50).fill(miss)))).toEqual(new Set(['provisioning']))
  })

  test('DESK-42, ENV-08: a resumed one is unreachable with the third miss', () => {
    expect(statesOf({ ...registered, is_resumed: true }, [miss, miss, miss])).toEqual([
      'provisioning',
      'provisioning',
      'unreachable',
    ])
  })

  test('another desk in its place is a miss', () => {
    const misrouted = { kind: 'misrouted' } as const
    expect(statesOf({ ...registered, state: 'ready' }, [misrouted, misrouted, misrouted]).at(-1)).toBe(
      'unreachable',
    )
  })

  test('DESK-44: nothing counts of a suspended one', () => {
    const suspended: Watched = { ...registered, state: 'suspended', misses: 1 }
    for (const outcome of [answer, miss, { kind: 'misrouted' } as const])
      expect(nextHealth(suspended, outcome)).toMatchObject({ state: 'suspended', misses: 1 })
  })
})

test.each([
  [null, null, false],
  ['0.3.0', 'a', false],
  ['0.2.9', 'a', true],
  ['0.3.0', 'b', true],
  ['0.3.0', null, true],
] as const)(
  'ENV-20: after %s with digest %s, an answer of 0.3.0 with a is an upgrade: %s',
  (version, digest, is) => {
    expect(nextHealth({ ...registered, version, digest }, answer).is_upgraded).toBe(is)
  },
)

const outcomes = fc.array(fc.constantFrom<Outcome>(answer, miss, { kind: 'misrouted' }))

test('DESK-40: a desk that has not answered is never made ready, whatever else happens', () => {
  const state = fc.constantFrom(...deskStates.filter((state) => state !== 'ready'))
  fc.assert(
    fc.property(state, fc.boolean(), outcomes, (state, is_resumed, all) => {
      const states = statesOf({ ...registered, state, is_resumed }, all)
      const first = all.findIndex(({ kind }) => kind === 'answered')
      expect(states.slice(0, first === -1 ? undefined : first)).not.toContain('ready')
    }),
  )
})

test.each([
  [500, 500, true],
  [500, 101, true],
  [500, 100, false],
  [5, 5, false],
  [6, 6, true],
  [0, 0, false],
])('check 15: of %i checks %i missed is a fault of ours: %s', (checked, missed, is) => {
  expect(isMassMiss({ checked, missed })).toBe(is)
})

test.each([
  [1, false, 'change'],
  [3, false, 'change'],
  [4, false, 'flapping'],
  [5, true, 'nothing'],
  // The earlier ones are long ago, but it has not been quiet since.
  [2, true, 'nothing'],
] as const)(
  'the %ith change within ten minutes, while flapping is %s, is told as %s',
  (recent_turns, is_flapping, told) => {
    expect(noticeOf({ recent_turns, is_flapping })).toBe(told)
  },
)
