import { expect, test } from 'vitest'
import { isDirectory, maskedConfig, unmaskedConfig } from './config.rules.ts'

test('values are masked by their names, with all beneath them, and by their form', () => {
  const config = {
    api_key: 'k',
    auth: { user: 'ann', tries: 3 },
    label: 'CI',
    dsn: 'pg://a:b@host/db',
    on: true,
  }
  expect(maskedConfig(config)).toEqual({
    api_key: '********',
    auth: { user: '********', tries: '********' },
    label: 'CI',
    dsn: '********',
    on: true,
  })
})

test('a mask that is sent back means what is stored there, and nothing where nothing is', () => {
  const stored = { token: 't', list: [{ password: 'p' }] }
  expect(unmaskedConfig({ token: '********', list: [{ password: '********' }] }, stored)).toEqual(stored)
  expect(unmaskedConfig({ other: '********' }, stored)).toBe(undefined)
  expect(unmaskedConfig({ list: '********' }, stored)).toBe(undefined)
  expect(unmaskedConfig({ constructor: '********' }, stored)).toBe(undefined)
})

test.each(['a', 'a/b', '.hidden', 'a..b'])('%s stays below its root', (path) => {
  expect(isDirectory(path)).toBe(true)
})
test.each(['', '/a', 'a/', 'a//b', '.', '..', 'a/../b', '../a', 'a\\b', 'a\0', 'x'.repeat(501), 3, null])(
  '%j does not',
  (path) => {
    expect(isDirectory(path)).toBe(false)
  },
)
