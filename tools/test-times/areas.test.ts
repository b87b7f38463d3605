import { expect, test } from 'vitest'
import { timesOfAreas } from './areas.ts'

const files = [
  { file: 'conformance/boards/cards.test.ts', project: 'conformance', seconds: 30 },
  { file: 'conformance/boards/claims.test.ts', project: 'conformance', seconds: 31 },
  { file: 'conformance/webhooks/retries.test.ts', project: 'conformance', seconds: 90 },
  { file: 'apps/server/src/config.test.ts', project: 'unit', seconds: 1 },
]

test('the time of an area is that of its files, slowest area first', () => {
  const times = timesOfAreas(files, { boards: 100, webhooks: 100, unit: 10 })
  expect(times.map(({ area, seconds }) => [area, seconds])).toEqual([
    ['webhooks', 90],
    ['boards', 61],
    ['unit', 1],
  ])
  expect(times.some(({ is_exceeded }) => is_exceeded)).toBe(false)
})

test('an area that takes longer than its budget, or has none, is told', () => {
  const times = timesOfAreas(files, { boards: 60, webhooks: 100 })
  expect(times.filter(({ is_exceeded }) => is_exceeded).map(({ area }) => area)).toEqual(['boards', 'unit'])
})
