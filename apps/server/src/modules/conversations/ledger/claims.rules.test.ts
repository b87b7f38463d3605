import { expect, test } from 'vitest'
import { nextRange, waitAfter } from './claims.rules.ts'

test('four waits between five attempts, and none after the fifth', () => {
  expect([1, 2, 3, 4, 5, 6].map(waitAfter)).toEqual([600, 1800, 7200, 28_800, undefined, undefined])
})

const unread = (...lengths: number[]) => lengths.map((length, seq) => ({ seq, text: 'x'.repeat(length) }))
const taken = (lengths: number[], messages: number, characters: number) => {
  const { messages: range, is_all } = nextRange(unread(...lengths), { messages, characters })
  return [range.length, is_all]
}

test.each([
  [[], 2, 10, 0, true],
  [[5, 5], 2, 10, 2, true],
  [[5, 6], 2, 10, 1, false],
  [[1, 1, 1], 2, 10, 2, false],
  [[99], 2, 10, 1, true],
  [[99, 1], 2, 10, 1, false],
])('of %j, at most %s messages and %s characters are %s', (lengths, messages, characters, count, isAll) => {
  expect(taken(lengths, messages, characters)).toEqual([count, isAll])
})
