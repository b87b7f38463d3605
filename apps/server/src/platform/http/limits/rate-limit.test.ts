import { expect, test } from 'vitest'
import { RateLimit } from '#platform/http/limits/rate-limit.ts'

test('a caller has so many requests a minute, and each caller has their own', () => {
  const limit = new RateLimit(2, () => 0)
  expect([1, 2, 3].map(() => limit.count('a').left)).toEqual([1, 0, -1])
  expect(limit.count('b').left).toBe(1)
})

test('the next minute starts anew', () => {
  let now = 0
  const limit = new RateLimit(1, () => now)
  limit.count('a')
  now = 59_001
  expect(limit.count('a')).toEqual({ per_minute: 1, left: -1, reset_seconds: 1 })
  now = 60_000
  expect(limit.count('a')).toEqual({ per_minute: 1, left: 0, reset_seconds: 60 })
})

test('a flood of callers shares one count beyond the bound, and known callers keep theirs', () => {
  const limit = new RateLimit(10, () => 0)
  limit.count('known')
  for (let n = 0; n < 100_000; n += 1) limit.count(`flood-${n}`)
  expect(limit.count('known').left).toBe(8)
  expect(limit.count('new-1').left).toBeGreaterThan(limit.count('new-2').left)
})

test('S11 as many requests are taken back in a minute as the minute holds, and no more', () => {
  const limit = new RateLimit(2, () => 0)
  const unchanged = () => {
    limit.count('a')
    return limit.refund('a').left
  }
  expect([1, 2, 3, 4, 5].map(unchanged)).toEqual([2, 2, 1, 0, -1])
  expect(limit.refund('b').left).toBe(2)
})
