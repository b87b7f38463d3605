import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isToken, tokenOf } from './token-format.ts'

const alphabet = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz']
const random = fc
  .array(fc.constantFrom(...alphabet), { minLength: 30, maxLength: 30 })
  .map((chars) => chars.join(''))

test('a token is chp_, thirty characters and a checksum of six', () => {
  fc.assert(
    fc.property(random, (text) => {
      expect(tokenOf(text)).toMatch(/^chp_[0-9A-Za-z]{36}$/)
      expect(isToken(tokenOf(text))).toBe(true)
    }),
  )
})

test('one changed character is noticed', () => {
  fc.assert(
    fc.property(random, fc.nat({ max: 35 }), fc.constantFrom(...alphabet), (text, at, other) => {
      const token = tokenOf(text)
      fc.pre(token[4 + at] !== other)
      expect(isToken(token.slice(0, 4 + at) + other + token.slice(5 + at))).toBe(false)
    }),
  )
})

test.each(['', 'chp_', `chp_${'a'.repeat(36)}`, `CHP_${'a'.repeat(36)}`, `${tokenOf('a'.repeat(30))} `])(
  '%j is not a token',
  (text) => expect(isToken(text)).toBe(false),
)
