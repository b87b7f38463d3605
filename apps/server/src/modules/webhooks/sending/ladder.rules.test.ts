import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ladderSeconds, nextRestSeconds, nextWaitSeconds } from './ladder.rules.ts'

test('nine waits of together 75 hours lie between ten attempts', () => {
  const total = ladderSeconds.reduce((sum, wait) => sum + wait, 0)
  expect(ladderSeconds).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
  expect(Math.floor(total / 3600)).toBe(75)
  expect(nextWaitSeconds('any', 10)).toBe(undefined)
})

test('a wait is within a tenth of the ladder, whole, and the same whenever it is asked for', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.integer({ min: 1, max: 9 }), (id, failed) => {
      const wait = nextWaitSeconds(id, failed) ?? 0
      const planned = ladderSeconds[failed - 1] ?? 0
      expect(Number.isInteger(wait)).toBe(true)
      expect(Math.abs(wait - planned)).toBeLessThanOrEqual(planned * 0.1 + 0.5)
      expect(nextWaitSeconds(id, failed)).toBe(wait)
    }),
  )
})

test('waits of different deliveries are spread over the whole window', () => {
  const waits = fc.sample(fc.uuid(), { numRuns: 2000, seed: 1 }).map((id) => nextWaitSeconds(id, 9) ?? 0)
  expect(Math.min(...waits)).toBeLessThan(86_400 * 0.91)
  expect(Math.max(...waits)).toBeGreaterThan(86_400 * 1.09)
})

test('a receiver is left alone for longer the more often nobody was there, and never for more than 5 minutes', () => {
  expect([1, 2, 3, 4, 5, 100].map(nextRestSeconds)).toEqual([5, 30, 120, 300, 300, 300])
})
