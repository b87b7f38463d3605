import { expect, test } from 'vitest'
import { deriveOutcome } from './outcome.rules.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const of = (status: number, retry_after?: string) => deriveOutcome({ status, retry_after }, now)

test.each([200, 201, 204, 299])('%i is delivered', (status) => {
  expect(of(status)).toEqual({ kind: 'delivered', status })
})

test.each([
  [101, 'answer', false],
  [301, 'redirect', false],
  [304, 'redirect', false],
  [400, 'answer', false],
  [404, 'answer', false],
  [429, 'answer', true],
  [500, 'answer', true],
  [503, 'answer', true],
])('%i is a failure of the kind %s; the receiver as a whole is down: %s', (status, error, is_down) => {
  expect(of(status)).toEqual({ kind: 'failed', status, error, is_down, wait_seconds: 0 })
})

test('410 says that nobody wants to hear more', () => {
  expect(of(410)).toEqual({ kind: 'gone', status: 410 })
})

test('no answer is a failure of the whole receiver', () => {
  expect(deriveOutcome({ failure: 'timeout' }, now)).toMatchObject({ error: 'timeout', is_down: true })
})

test.each([
  [429, '120', 120],
  [503, '120', 120],
  [500, '120', 0],
  [429, 'Thu, 01 Jan 2026 00:10:00 GMT', 600],
  [429, 'Wed, 31 Dec 2025 00:00:00 GMT', 0],
  [429, '9999999999', 86_400],
  [429, '99999999999999999999', 0],
  [429, '-5', 0],
  [429, 'soon', 0],
  [429, '', 0],
])('%i with Retry-After %j asks for %i seconds', (status, header, wait_seconds) => {
  expect(of(status, header)).toMatchObject({ wait_seconds })
})
