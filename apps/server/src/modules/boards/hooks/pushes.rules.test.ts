import fc from 'fast-check'
import { expect, test } from 'vitest'
import { headOf, type PushFacts } from './pushes.rules.ts'

const push = (before: string, after: string, at = '2026-01-01'): PushFacts => ({ before, after, at })

test.each<[string, PushFacts[], string | undefined]>([
  ['one push', [push('0', 'a')], 'a'],
  ['a chain in one second', [push('0', 'c'), push('c', 'a'), push('a', 'b')], 'b'],
  ['a gap, where time decides', [push('0', 'z', '2026-01-01'), push('y', 'b', '2026-01-02')], 'b'],
  ['a branch that was set back', [push('a', 'b', '2026-01-01'), push('b', 'a', '2026-01-02')], 'a'],
  ['a branch that is gone', [push('0', 'a'), push('a', '0000')], undefined],
  ['no push', [], undefined],
])('the head after %s', (_, pushes, head) => {
  expect(headOf(pushes)?.after).toBe(head)
})

test('the head of a chain is its end, in whatever order and however often its pushes come', () => {
  const commits = fc.uniqueArray(fc.integer({ min: 1, max: 9999 }).map(String), {
    minLength: 2,
    maxLength: 12,
  })
  const chains = commits.chain((shas) => {
    const pushes = shas.slice(1).map((after, n) => push(shas[n] ?? '', after))
    const twice = fc.shuffledSubarray([...pushes, ...pushes], { minLength: pushes.length * 2 })
    return fc.tuple(fc.constant(shas.at(-1)), twice)
  })
  fc.assert(
    fc.property(chains, ([last, pushes]) => {
      expect(headOf(pushes)?.after).toBe(last)
    }),
  )
})
