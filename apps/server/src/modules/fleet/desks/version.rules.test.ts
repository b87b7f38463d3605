import { expect, test } from 'vitest'
import { shownDigest } from './version.rules.ts'

test.each([
  [null, 'abc', null],
  ['0.2.9', 'abc', null],
  ['0.2.10', 'abc', 'abc'],
  ['0.2.10', null, null],
  ['1.0.0', 'abc', 'abc'],
  ['no version', 'abc', null],
] as const)('ENV-19: a sidecar %s with the digest %s shows %s', (version, digest, shown) => {
  expect(shownDigest(version, digest)).toBe(shown)
})
