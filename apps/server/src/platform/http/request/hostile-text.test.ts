import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileText } from '#platform/http/request/hostile-text.ts'

const hostile = fc.constantFrom('\0', 'a\0b', '\ud800', '\udc00', 'a\ud83d', '\udc00\ud800')
const harmless = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'))

test('finds nothing in values made of text that is Unicode', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      harmless,
      fc.constantFrom(null, 1, true),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(harmless, tie('value'), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(value, (each) => {
      expect(hostileText(each)).toBeUndefined()
    }),
  )
})

test('finds a hostile text at any place and names the way to it', () => {
  const keys = fc.array(fc.stringMatching(/^[a-z]{1,5}$/), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(keys, hostile, (path, text) => {
      const value = path.reduceRight<unknown>((inner, key) => ({ before: 'fine', [key]: inner }), text)
      expect(hostileText(value)).toBe(path.join('.'))
    }),
  )
})

test('finds a hostile name and names the object it stands in', () => {
  expect(hostileText({ list: [{ 'a\0': 1 }] })).toBe('list.0')
  expect(hostileText({ '\ud800': 1 })).toBe('')
})

test('a text by itself has no name', () => {
  expect(hostileText('\0')).toBe('')
  expect(hostileText('fine')).toBeUndefined()
})
