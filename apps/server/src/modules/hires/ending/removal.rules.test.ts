import { expect, test } from 'vitest'
import { nextLookSeconds, nextTrySeconds } from './removal.rules.ts'

test('a removal that fails is tried less and less often, and at least once a day for good', () => {
  expect([1, 2, 3, 4, 5, 6, 1000].map(nextTrySeconds)).toEqual([60, 300, 1800, 7200, 28_800, 86_400, 86_400])
})

test('what was removed is looked at again for more than a day, and then no more', () => {
  const seconds = [0, 1, 2].map((looked) => nextLookSeconds(looked) ?? 0)
  expect(seconds.reduce((sum, each) => sum + each)).toBeGreaterThan(86_400)
  expect(nextLookSeconds(3)).toBeUndefined()
})
