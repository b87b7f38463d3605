import { expect, test } from 'vitest'
import { areaOf, foldersAround, wordsOf } from './search.rules.ts'

const place = (path: string) => ({ path, symbol: '', is_folder: false })

test.each([
  ['src/billing/tax.ts', ['src/billing', 'src']],
  ['src/tax.ts', ['src']],
  ['tax.ts', []],
])('LES-G15: folders around %s are %j', (path, folders) => {
  expect(foldersAround(place(path))).toEqual(folders)
})

test('LES-G11: words of a query are compared without case, each once', () => {
  expect(wordsOf('  Round HALF  half\n')).toEqual(['round', 'half'])
  expect(wordsOf()).toEqual([])
  expect(areaOf('billing/tax/')).toBe('billing/tax')
})
