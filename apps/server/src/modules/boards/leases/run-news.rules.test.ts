import { expect, test } from 'vitest'
import { isNews, lineOf, newsOf } from './run-news.rules.ts'

test.each([
  ['', ''],
  [' \n\t\n', ''],
  ['One line', 'One line'],
  ['First\nSecond\n', 'Second'],
  ['First\r\n  Second  \r\n\r\n', 'Second'],
  ['First\u2028Second', 'Second'],
  [`First\n${'\u{1F600}'.repeat(300)}`, '\u{1F600}'.repeat(200)],
])('the line of %j is its last one, and short', (summary, line) => {
  expect(lineOf(summary)).toBe(line)
})

const run = {
  id: 'a',
  status: 'running',
  reason: null,
  summary: 'x',
  usage_tokens: 1,
  usage_cost_micros: 2,
} as const

test('what is said again is no news, and anything else is', () => {
  expect(isNews(run, { ...run })).toBe(false)
  for (const change of [{ summary: 'y' }, { usage_tokens: 2 }, { usage_cost_micros: 0 }, { reason: 'z' }])
    expect(isNews(run, { ...run, ...change })).toBe(true)
})

test('the longest report takes less than two kilobytes', () => {
  const news = newsOf({ ...run, summary: '\u{1F600}'.repeat(8000), reason: 'x'.repeat(500) })
  expect(JSON.stringify(news).length).toBeLessThan(2048)
})
