import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'
import { expect, test } from 'vitest'
import { deriveSpread, isShort, longestRank } from './ranks.rules.ts'

/** As they are after something was put right above the same card that often. */
function crowd(times: number): string[] {
  const ranks = ['a0', 'a1']
  for (let n = 0; n < times; n += 1) {
    ranks.splice(-1, 0, generateKeyBetween(ranks.at(-2) as string, ranks.at(-1) as string))
  }
  return ranks
}

test('K11: ranks grow with every card between the same two, and are short and in order after they were spread', () => {
  const ranks = crowd(300)
  expect(ranks.at(-2)?.length).toBeGreaterThan(longestRank)
  const spread = deriveSpread(
    generateNKeysBetween(null, null, 2 * ranks.length),
    ranks.length,
    new Set(ranks),
  )
  expect(spread).toEqual(spread.toSorted())
  expect(new Set([...spread, ...ranks]).size).toBe(2 * ranks.length)
  expect(isShort(spread)).toBe(true)
  expect(isShort(ranks)).toBe(false)
})

test.each([
  ['a0', 'a1'],
  [null, 'a1'],
  ['a0', null],
  ['a0VVVVVVVV', 'a0VVVVVVVW'],
])('K11: between %s and %s there is room for 200, besides 100 that are taken', (above, below) => {
  const taken = new Set(generateNKeysBetween(above, below, 100))
  const spread = deriveSpread(generateNKeysBetween(above, below, 300), 200, taken)
  expect(new Set([...spread, ...taken]).size).toBe(300)
  expect(spread).toEqual(spread.toSorted())
  if (above !== null) expect((spread[0] as string) > above).toBe(true)
  if (below !== null) expect((spread.at(-1) as string) < below).toBe(true)
})
