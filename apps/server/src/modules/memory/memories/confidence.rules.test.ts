import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effectiveConfidence, isStale, shownConfidence } from './confidence.rules.ts'

const start = Date.parse('2026-01-01T00:00:00.000Z')
const hour_ms = 3_600_000
const after = (hours: number) => new Date(start + hours * hour_ms)
const anchored_at = '2026-01-01T00:00:00.000000Z'
const memory = (confidence: number, importance: 'normal' | 'critical' = 'normal') => ({
  confidence,
  anchored_at,
  importance,
})
const week = 7 * 24

describe('decay', () => {
  test.each([
    [0, 0.8],
    [1, 0.784],
    [4, 0.7379],
    [48, 0.3033],
    [49, 0.2973],
  ])('C22: after %i weeks, 0.8 is %f', (weeks, expected) => {
    expect(shownConfidence(memory(0.8), after(weeks * week))).toBe(expected)
  })

  test('MEMO-10: a critical memory keeps its confidence for ten years', () => {
    expect(shownConfidence(memory(0.8, 'critical'), after(520 * week))).toBe(0.8)
  })

  test('MEMO-09: in whatever steps time passes, the result is the same, and never rises', () => {
    const hours = fc.integer({ min: 0, max: 500 * week })
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), hours, hours, (confidence, first, second) => {
        const halfway = effectiveConfidence(memory(confidence), after(first))
        const rest = { ...memory(halfway), anchored_at: after(first).toISOString() }
        const whole = effectiveConfidence(memory(confidence), after(first + second))
        expect(effectiveConfidence(rest, after(first + second))).toBeCloseTo(whole, 12)
        expect(whole).toBeLessThanOrEqual(halfway)
      }),
    )
  })

  test('a clock that is behind that of the database does not raise it', () => {
    expect(effectiveConfidence(memory(0.8), after(-5))).toBe(0.8)
  })

  test('what was set is shown as it was set until four digits show a difference', () => {
    expect(shownConfidence(memory(0.123456789), after(0.1))).toBe(0.123456789)
    expect(shownConfidence(memory(0.123456789), after(week))).toBe(0.121)
  })
})

test('MEMO-22 C23: a memory is stale after more than 30 days, and not at 30 days', () => {
  expect(isStale(anchored_at, after(30 * 24))).toBe(false)
  expect(isStale(anchored_at, new Date(start + 30 * 24 * hour_ms + 1))).toBe(true)
})
