import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Heard, judgeSequence, type Processes } from './sequence.rules.ts'

/** What becomes of each request, one after the other. */
function kindsOf(...heard: readonly (readonly [string, number, number])[]): string[] {
  let known: Processes | undefined
  return heard.map(([boot_id, sequence, created]) => {
    const judged = judgeSequence(known, { boot_id, sequence, created })
    if (judged.kind === 'fresh') known = judged.processes
    return judged.kind
  })
}

test.each([
  ['the first', [['a', 1, 100]], ['fresh']],
  [
    'the next',
    [
      ['a', 1, 100],
      ['a', 2, 115],
    ],
    ['fresh', 'fresh'],
  ],
  [
    'a gap',
    [
      ['a', 1, 100],
      ['a', 9, 115],
    ],
    ['fresh', 'fresh'],
  ],
  [
    'the same again',
    [
      ['a', 1, 100],
      ['a', 1, 100],
    ],
    ['fresh', 'replayed'],
  ],
  [
    'one that was overtaken',
    [
      ['a', 2, 101],
      ['a', 1, 100],
    ],
    ['fresh', 'replayed'],
  ],
  [
    'a restart',
    [
      ['a', 7, 100],
      ['b', 1, 103],
    ],
    ['fresh', 'fresh'],
  ],
  [
    'a restart in the same second, and a late request of the old process',
    [
      ['a', 7, 100],
      ['b', 1, 100],
      ['a', 8, 100],
    ],
    ['fresh', 'fresh', 'replayed'],
  ],
  [
    'a late request of the old process',
    [
      ['a', 7, 100],
      ['b', 1, 110],
      ['a', 8, 105],
    ],
    ['fresh', 'fresh', 'replayed'],
  ],
  [
    'a clock that is set back',
    [
      ['a', 1, 100],
      ['a', 2, 50],
      ['a', 3, 65],
    ],
    ['fresh', 'fresh', 'fresh'],
  ],
  [
    'a clock that is set back with a restart, and an old request again',
    [
      ['a', 7, 100],
      ['b', 1, 50],
      ['a', 7, 100],
    ],
    ['fresh', 'fresh', 'replayed'],
  ],
  [
    'check 19: two machines in turn',
    [
      ['a', 1, 100],
      ['b', 1, 103],
      ['a', 2, 115],
    ],
    ['fresh', 'fresh', 'copies'],
  ],
  [
    'two machines that count on from one memory',
    [
      ['a', 5, 100],
      ['a', 6, 115],
      ['a', 6, 116],
    ],
    ['fresh', 'fresh', 'copies'],
  ],
] as const)('%s', (_, heard, kinds) => {
  expect(kindsOf(...heard)).toEqual(kinds)
})

const heard = fc.record({
  boot_id: fc.constantFrom('a', 'b', 'c'),
  sequence: fc.integer({ min: 1, max: 5 }),
  created: fc.integer({ min: 1, max: 20 }),
})

test('no request is fresh twice, whatever came before and between', () => {
  fc.assert(
    fc.property(fc.array(heard, { maxLength: 20 }), (all: Heard[]) => {
      let known: Processes | undefined
      const fresh = new Set<string>()
      for (const each of all) {
        const judged = judgeSequence(known, each)
        if (judged.kind !== 'fresh') continue
        known = judged.processes
        const name = `${each.boot_id}/${each.sequence}`
        expect(fresh).not.toContain(name)
        fresh.add(name)
      }
    }),
  )
})
