import { expect, test } from 'vitest'
import { deriveSource, laterBy } from './cards.rules.ts'

const card = (source: 'member' | 'guest' | 'agent' | 'import') => ({
  source,
  title: 'T',
  description: 'D',
  labels: ['l'],
})
const all = { title: 'T', description: 'D', labels: ['l'] }

test.each([
  ['a new card has the source of whoever made it', undefined, 'guest', all, 'guest'],
  ['the platform imports', undefined, 'system', all, 'import'],
  ['a guest who changes a text', card('member'), 'guest', { labels: ['m'] }, 'guest'],
  ['a guest who sends what stands there', card('member'), 'guest', all, 'member'],
  ['a guest who sends no text', card('agent'), 'guest', {}, 'agent'],
  ['a member who changes some texts of a guest', card('guest'), 'member', { title: 'U' }, 'guest'],
  ['a member who stands for all texts of a guest', card('guest'), 'member', all, 'member'],
  ['an agent that writes all texts of a guest anew', card('guest'), 'agent', all, 'guest'],
  ['an agent that writes all texts of a member anew', card('member'), 'agent', all, 'member'],
] as const)('%s', (_, before, kind, change, source) => {
  expect(deriveSource(before, { kind }, change)).toBe(source)
})

test.each([
  ['2026-01-31T23:59:59.999998Z', 1, '2026-01-31T23:59:59.999999Z'],
  ['2026-01-31T23:59:59.999998Z', 2, '2026-02-01T00:00:00.000000Z'],
  ['2026-01-31T23:59:59.000000Z', 16, '2026-01-31T23:59:59.000016Z'],
])('K6: %s and %i microseconds are %s', (time, micros, later) => {
  expect(laterBy(time, micros)).toBe(later)
})
