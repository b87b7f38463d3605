import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mentionsIn } from './mentions.rules.ts'

const found = (text: string) =>
  mentionsIn(text).map((each) => (each.is_symbol ? `${each.text}()` : each.text))

test.each<[string, string[]]>([
  ['Change `src/a.ts` first', ['src/a.ts']],
  ['Change src/a.ts, then lib/b.ts.', ['src/a.ts', 'lib/b.ts']],
  ['See src/a.ts#Store.get for more', ['src/a.ts#Store.get']],
  ['See ./src/a.ts:12 and src/b.ts:3:4 and src/c.ts#L10-L20', ['src/a.ts', 'src/b.ts', 'src/c.ts']],
  ['All of `src/billing/`', ['src/billing/']],
  [
    '`Store`, `Store.get()` and Store.find() call `find_all`',
    ['Store()', 'Store.get()', 'find_all()', 'Store.find()'],
  ],
  ['Rust says Store::get', ['Store.get()']],
  ['`get(id: string)` and run()', ['get()', 'run()']],
  // An ending alone may be a file in the root or a name with two parts.
  ['package.json and tsconfig.base.json', ['package.json()', 'tsconfig.base.json()']],
  ['(src/a.ts) "src/b.ts" [src/c.ts]', ['src/a.ts', 'src/b.ts', 'src/c.ts']],
  ['Files:\n- src/a.ts\n- src/b.ts\n', ['src/a.ts', 'src/b.ts']],
])('%j names %j', (text, expected) => {
  expect(found(text)).toEqual(expected)
})

test.each([
  'The store gets a value, and Store is a word too',
  'Branch `main` is the `default` one',
  'Read https://example.com/src/a.ts or http://x/y.',
  'At 10:30, version 1.5 cost 3.99',
  '/etc/passwd and ../../etc/passwd and a//b',
  '`git push --force origin main`',
  '',
])('%j names nothing', (text) => {
  expect(found(text)).toEqual([])
})

test('any text is read, at most 50 mentions of it, each once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const mentions = mentionsIn(text)
      expect(mentions.length).toBeLessThanOrEqual(50)
      expect(new Set(mentions.map((each) => each.text)).size).toBe(mentions.length)
    }),
  )
  const many = Array.from({ length: 200 }, (_, n) => `src/${n}.ts`).join(' ')
  expect(mentionsIn(many)).toHaveLength(50)
})

test('a long text is read in a moment', () => {
  const hostile = [
    '`'.repeat(10_000),
    'a.'.repeat(5000),
    '#'.repeat(10_000),
    `${'a/'.repeat(5000)}..`,
    '(('.repeat(5000),
  ]
  for (const text of hostile) expect(mentionsIn(text).length).toBeLessThanOrEqual(50)
})
