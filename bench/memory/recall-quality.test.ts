import { describe, expect, test } from 'vitest'
import { hitAt, meanReciprocalRank, rankOf } from './recall-quality.ts'

const first = { returned: ['a', 'b', 'c'], answers: ['a'] }
const third = { returned: ['x', 'y', 'z'], answers: ['z', 'q'] }
const never = { returned: ['x', 'y'], answers: ['a'] }

describe('quality of a ranking', () => {
  test.for([
    [first, 1],
    [third, 3],
    [never, undefined],
    [{ returned: [], answers: ['a'] }, undefined],
    [{ returned: ['n', 'b', 'a'], answers: ['a', 'b'] }, 2],
  ] as const)('the rank of an answer is the place of the first one: %j', ([judged, rank]) => {
    expect(rankOf(judged)).toBe(rank)
  })

  test('a hit is an answer within the places that count', () => {
    const all = [first, third, never]
    expect([1, 2, 3, 100].map((places) => hitAt(places, all))).toEqual([1 / 3, 1 / 3, 2 / 3, 2 / 3])
  })

  test('the mean reciprocal rank counts what was not found as zero', () => {
    expect(meanReciprocalRank([first, third, never])).toBeCloseTo((1 + 1 / 3) / 3, 12)
  })

  test('no query has no quality', () => {
    expect([hitAt(5, []), meanReciprocalRank([])]).toEqual([Number.NaN, Number.NaN])
  })
})
