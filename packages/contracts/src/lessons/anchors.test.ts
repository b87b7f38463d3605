import { expect, test } from 'vitest'
import { Anchor, anchorText, readAnchor } from './anchors.ts'

test.each([
  ['src/a.ts', { path: 'src/a.ts', symbol: '', is_folder: false }],
  ['src/a.ts#Store.find', { path: 'src/a.ts', symbol: 'Store.find', is_folder: false }],
  ['src/a.ts#Store.#find', { path: 'src/a.ts', symbol: 'Store.#find', is_folder: false }],
  ['src/billing/', { path: 'src/billing', symbol: '', is_folder: true }],
  ['src/billing', { path: 'src/billing', symbol: '', is_folder: false }],
  ['Straße/größe.py', { path: 'Straße/größe.py', symbol: '', is_folder: false }],
  ['..a/b...ts', { path: '..a/b...ts', symbol: '', is_folder: false }],
])('LES-05 %s names a place, and the place gives the same text', (text, place) => {
  expect(readAnchor(text)).toEqual(place)
  expect(anchorText(place)).toBe(text)
  expect(Anchor.safeParse(text).success).toBe(true)
})

test.each([
  ...[
    '',
    '#',
    '#Store',
    'src/a.ts#',
    '/',
    '/etc/passwd',
    '//',
    './',
    '../a.ts',
    'src/../a.ts',
    'src/..',
    'src/./a.ts',
  ],
  ...[
    'src//a.ts',
    'src\\a.ts',
    'src/a\0.ts',
    'src/a\n.ts',
    'src/\u0085',
    'src/\ud800.ts',
    'src/#Store',
    'src//',
  ],
  ...['a'.repeat(1025), `${'a'.repeat(1025)}/`, `a#${'s'.repeat(513)}`, `${'ß'.repeat(513)}.ts`],
])('LES-G6 %j is no anchor', (text) => {
  expect(readAnchor(text)).toBeTypeOf('string')
  expect(Anchor.safeParse(text).success).toBe(false)
})
