import { expect, test } from 'vitest'
import { mergeFeeds } from './merge-feeds.ts'

const entry = (minute: number) => ({
  created_at: `2026-01-01T00:${String(minute).padStart(2, '0')}:00.123456Z`,
})
const feed = (minutes: readonly number[], before: string | null = null) => ({
  entries: minutes.map(entry),
  before,
})
const minutesOf = (entries: readonly { created_at: string }[]) =>
  entries.map(({ created_at }) => Number(created_at.slice(14, 16)))

test('feeds that are known to their ends are merged whole, newest first', () => {
  const { items, rest } = mergeFeeds([feed([9, 5, 1]), feed([]), feed([8, 7, 2])])
  expect(minutesOf(items)).toEqual([9, 8, 7, 5, 2, 1])
  expect(rest).toEqual([[], [], []])
})

test('nothing is shown that may be older than what is not read yet', () => {
  const { items, rest } = mergeFeeds([feed([9, 5], 'more'), feed([8, 4, 3], 'more')])
  expect(minutesOf(items)).toEqual([9, 8, 5])
  expect(rest.map(minutesOf)).toEqual([[], [4, 3]])
})

test('one feed is shown as far as it is known', () => {
  const { items, rest } = mergeFeeds([feed([3, 2, 1], 'more')])
  expect(minutesOf(items)).toEqual([3, 2, 1])
  expect(rest).toEqual([[]])
})
