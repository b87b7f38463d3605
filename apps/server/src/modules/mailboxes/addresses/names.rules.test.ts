import { MailName } from '@crewhall/contracts/mailboxes/addresses.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deriveBase, deriveName, roleNames } from './names.rules.ts'

test.for([
  ['ann@example.test', 'ann'],
  ['Ann.Bell@example.test', 'ann-bell'],
  ['ann+tag@example.test', 'ann'],
  ['--ann--@example.test', 'ann'],
  ['a..b@example.test', 'a-b'],
  ['émile@example.test', 'emile'],
  ['WEIß@example.test', 'weiss'],
  ['李@example.test', 'person'],
  ['+x@example.test', 'person'],
  [`${'x'.repeat(40)}@example.test`, 'x'.repeat(30)],
  [`${'x'.repeat(29)}-y@example.test`, 'x'.repeat(29)],
] as const)('the base of %s is %s', ([email, base]) => {
  expect(deriveBase(email)).toBe(base)
})

test('a base that is too short is a name only with a number', () => {
  expect(deriveName('jo', undefined)).toBeUndefined()
  expect(deriveName('jo', 7)).toBe('jo-7')
})

test('a number takes the place of the last letters of a long base', () => {
  expect(deriveName('x'.repeat(30), 1234)).toBe(`${'x'.repeat(25)}-1234`)
  expect(deriveName(`${'x'.repeat(24)}-yyyyy`, 1234)).toBe(`${'x'.repeat(24)}-1234`)
})

test('whatever the e-mail address, a number makes a name of it that keeps the rule', () => {
  const numbers = fc.integer({ min: 1, max: 999_999_999 })
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), numbers, (local, number) => {
      const base = deriveBase(`${local}@example.test`)
      const [plain, numbered] = [deriveName(base, undefined), deriveName(base, number)]
      return (
        MailName.safeParse(numbered).success &&
        String(numbered).endsWith(`-${number}`) &&
        (plain === undefined || MailName.safeParse(plain).success)
      )
    }),
  )
})

test('every role name is a name that somebody could want, listed once', () => {
  expect(roleNames.filter((name) => !MailName.safeParse(name).success)).toEqual([])
  expect(new Set(roleNames).size).toBe(roleNames.length)
})

test('the names by which a certificate authority asks for a domain are role names', () => {
  expect(roleNames).toEqual(
    expect.arrayContaining(['admin', 'administrator', 'webmaster', 'hostmaster', 'postmaster']),
  )
})
