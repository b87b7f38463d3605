import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isOlder } from './version.ts'

test.each([
  ['0.2.9', '0.2.10'],
  ['0.9.0', '0.10.0'],
  ['9.0.0', '10.0.0'],
  ['0.2.10-rc.1', '0.2.10'],
  ['0.2.10-rc.9', '0.2.10-rc.10'],
  ['0.2.10-1', '0.2.10-rc'],
  ['0.2.10-rc', '0.2.10-rc.1'],
  ['unknown', '0.0.1'],
])('ENV-19: %s is older than %s, and not the other way round', (old, recent) => {
  expect([isOlder(old, recent), isOlder(recent, old)]).toEqual([true, false])
})

test.each([
  ['0.2.10', '0.2.10'],
  ['0.2.10+build.1', '0.2.10'],
  ['none', 'neither'],
])('%s and %s are of one age', (one, other) => {
  expect([isOlder(one, other), isOlder(other, one)]).toEqual([false, false])
})

const part = fc.integer({ min: 0, max: 999_999 })
const version = fc.tuple(part, part, part)
const textOf = (parts: readonly number[]) => parts.join('.')

test('the age of versions is the order of their numbers', () => {
  fc.assert(
    fc.property(version, version, (one, other) => {
      const at = one.findIndex((number, n) => number !== other[n])
      const expected = at >= 0 && (one[at] ?? 0) < (other[at] ?? 0)
      expect(isOlder(textOf(one), textOf(other))).toBe(expected)
    }),
  )
})
