import { expect, test } from 'vitest'
import { fairShare, startFairTime, ticksOf } from './fair-time.ts'

test('ticks are those of all processors', () => {
  const stat = 'cpu  10 20 30 4000 50 6 7 80 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n'
  expect(ticksOf(stat)).toEqual({ busy: 73, stolen: 80 })
  expect(ticksOf('')).toEqual({ busy: 0, stolen: 0 })
})

test('time that was given to others does not count', () => {
  expect(fairShare({ busy: 100, stolen: 10 }, { busy: 120, stolen: 90 })).toBeCloseTo(0.2)
  expect(fairShare({ busy: 100, stolen: 10 }, { busy: 200, stolen: 10 })).toBe(1)
  expect(fairShare({ busy: 100, stolen: 10 }, { busy: 100, stolen: 10 })).toBe(1)
})

test('never more than the time on the clock', () => {
  const began = performance.now()
  const elapsed = startFairTime()
  const fair = elapsed()
  expect(fair).toBeGreaterThanOrEqual(0)
  expect(fair).toBeLessThanOrEqual(performance.now() - began)
})
