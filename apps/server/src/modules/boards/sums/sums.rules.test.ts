import { expect, test } from 'vitest'
import { derivePercentile, deriveWeeks } from './sums.rules.ts'

// A Tuesday.
const now = new Date('2026-11-17T11:00:00Z')

test.each([
  ['nothing', {}, '2026-08-31', '2026-11-16'],
  ['a Monday', { from: '2026-11-09', to: '2026-11-16' }, '2026-11-09', '2026-11-16'],
  ['a Sunday', { from: '2026-11-15', to: '2026-11-15' }, '2026-11-09', '2026-11-09'],
  ['53 weeks', { from: '2025-11-17', to: '2026-11-22' }, '2025-11-17', '2026-11-16'],
  ['the first days there are', { from: '1970-01-01', to: '1970-01-06' }, '1969-12-29', '1970-01-05'],
])('weeks of %s begin on Monday', (_, asked, from, to) => {
  expect(deriveWeeks(asked, now)).toEqual({ from, to })
})

test('more weeks than a year has, and none, are refused', () => {
  expect(() => deriveWeeks({ from: '2025-11-16', to: '2026-11-16' }, now)).toThrow('at most 53 weeks')
  expect(() => deriveWeeks({ from: '2026-11-30' }, now)).toThrow('must not be before from')
})

test('a percentile is the first bound that this share of the cards did not pass', () => {
  const within = [
    { seconds: 3600, cards: 1 },
    { seconds: 28_800, cards: 8 },
  ] as const
  const of = (percent: number, cards = 10) => derivePercentile(within, { cards, percent })
  expect([of(10), of(50), of(80), of(85), of(50, 0)]).toEqual([3600, 28_800, 28_800, null, null])
})
