import { expect, test } from 'vitest'
import { deriveTimes } from './cards.rules.ts'

const before = '2026-01-01T00:00:00.000000Z'
const now = '2026-03-01T00:00:00.000000Z'

test.each([
  ['pending', null, 'done', now],
  ['done', before, 'done', before],
  ['canceled', before, 'canceled', before],
  ['canceled', before, 'done', now],
  ['done', before, 'canceled', now],
  ['done', before, 'review', null],
] as const)('a card that was %s since %s and is %s now was completed at %s', (was, at, is, completed_at) => {
  expect(deriveTimes({ status: was, started_at: null, completed_at: at }, is, now).completed_at).toBe(
    completed_at,
  )
})
