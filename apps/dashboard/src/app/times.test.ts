import { expect, test } from 'vitest'
import { shortSpan, whenTold } from './times.ts'

const minute = 60_000

test.each([
  [0, '0m'],
  [-5, '0m'],
  [59.9 * minute, '59m'],
  [64 * minute, '1h 04m'],
  [23 * 60 * minute, '23h 00m'],
  [75 * 60 * minute, '3d'],
])('%d ms last %s', (ms, text) => expect(shortSpan(ms)).toBe(text))

test.each([
  ['2026-11-17T12:00:30Z', 'just now'],
  ['2026-11-17T11:39:00Z', '22 min ago'],
  ['2026-11-16T13:00:00Z', '23 h ago'],
  ['2026-11-12T12:00:00Z', '12 Nov'],
  ['2025-11-12T12:00:00Z', '12 Nov 2025'],
])('%s was %s', (at, text) => expect(whenTold(at, Date.parse('2026-11-17T12:01:00Z'))).toBe(text))
