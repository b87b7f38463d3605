import { expect, test } from 'vitest'
import { batchSize, callsOf, restMs, waitSeconds } from '#platform/embeddings/embedding-schedule.ts'

test.each([
  [0, 64],
  [1, 64],
  [2, 8],
  [3, 1],
  [50, 1],
])('what has failed %i times is tried %i at a time', (attempts, expected) => {
  expect(batchSize(attempts)).toBe(expected)
})

test('long texts are in calls of their own, short ones together, all in their order', () => {
  const sizes = [30_000, 10, 20, 19_970, 1, 5, 30_000, 30_000, 7]
  const calls = callsOf(sizes.map((size) => ({ text: 'x'.repeat(size) })))
  expect(calls.map((call) => call.map(({ text }) => text.length))).toEqual([
    [30_000],
    [10, 20, 19_970],
    [1, 5],
    [30_000],
    [30_000],
    [7],
  ])
  expect(callsOf([])).toEqual([])
})

test('attempts become rare, and never end', () => {
  expect([1, 2, 3, 4, 5, 6, 100].map(waitSeconds)).toEqual([10, 60, 300, 1800, 7200, 28_800, 28_800])
})

test('a model that is away is asked again after 5 s, later after a minute', () => {
  expect([1, 2, 3, 20].map(restMs)).toEqual([5000, 10_000, 20_000, 60_000])
})
