import { expect, test } from 'vitest'
import { safeNext, toCard } from './paths.ts'

test('a card is beside its board', () => {
  expect(toCard('DSP-226')).toEqual({
    to: '/boards/$key',
    params: { key: 'DSP' },
    search: { card: 'DSP-226' },
  })
})

test.each([
  '//evil.test',
  '/\\evil.test',
  'https://evil.test',
  'javascript:alert(1)',
  '/sign-in?next=/x',
  undefined,
  7,
])('signing in leads nowhere else than into the dashboard: %s', (next) => {
  expect(safeNext(next)).toBe('/')
})

test('signing in leads back to where one was', () => {
  expect(safeNext('/boards/DSP?card=DSP-1')).toBe('/boards/DSP?card=DSP-1')
})
