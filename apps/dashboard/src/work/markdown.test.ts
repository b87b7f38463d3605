import { expect, test } from 'vitest'
import { blocksOf, inlineOf, safeAddress } from './markdown.ts'

const paragraph = (text: string) => ({ kind: 'paragraph', text })

test('headings, rules, quotes, code and paragraphs', () => {
  const text = '# One\nwords\nmore\n\n---\n> said\n> ## Two\n```ts\n# no heading\n```\n~~~\nx'
  expect(blocksOf(text)).toEqual([
    { kind: 'heading', level: 1, text: 'One' },
    paragraph('words\nmore'),
    { kind: 'rule' },
    { kind: 'quote', blocks: [paragraph('said'), { kind: 'heading', level: 2, text: 'Two' }] },
    { kind: 'code', text: '# no heading' },
    { kind: 'code', text: 'x' },
  ])
})

test('lists within lists, numbers and tasks', () => {
  expect(blocksOf('- a\n  - [x] b\n  - [ ] c\n- d\n  goes on\n\n3. e\n4. f')).toEqual([
    {
      kind: 'list',
      start: undefined,
      items: [
        {
          is_checked: undefined,
          blocks: [
            paragraph('a'),
            {
              kind: 'list',
              start: undefined,
              items: [
                { is_checked: true, blocks: [paragraph('b')] },
                { is_checked: false, blocks: [paragraph('c')] },
              ],
            },
          ],
        },
        { is_checked: undefined, blocks: [paragraph('d\ngoes on')] },
      ],
    },
    {
      kind: 'list',
      start: 3,
      items: [
        { is_checked: undefined, blocks: [paragraph('e')] },
        { is_checked: undefined, blocks: [paragraph('f')] },
      ],
    },
  ])
})

test('a table has as many cells in each row as in its head', () => {
  expect(blocksOf('| a | b \\| c |\n|:-:|--:|\n| 1 |\n| 2 | 3 | 4 |\n\nend')).toEqual([
    {
      kind: 'table',
      aligns: ['center', 'right'],
      head: ['a', 'b | c'],
      rows: [
        ['1', ''],
        ['2', '3'],
      ],
    },
    paragraph('end'),
  ])
})

test('words: marks, links, and what only looks like them', () => {
  expect(inlineOf('**b** *e* _e_ ~~d~~ `c*` \\*x\\* 2 * 3 * 4 snake_case_name')).toEqual([
    { kind: 'strong', text: 'b' },
    { kind: 'text', text: ' ' },
    { kind: 'emphasis', text: 'e' },
    { kind: 'text', text: ' ' },
    { kind: 'emphasis', text: 'e' },
    { kind: 'text', text: ' ' },
    { kind: 'deleted', text: 'd' },
    { kind: 'text', text: ' ' },
    { kind: 'code', text: 'c*' },
    { kind: 'text', text: ' *x* 2 * 3 * 4 snake_case_name' },
  ])
  expect(inlineOf('[a](https://x.test/b_(c)) see https://x.test/d. <mailto:a@x.test>')).toEqual([
    { kind: 'link', text: 'a', address: 'https://x.test/b_(c)' },
    { kind: 'text', text: ' see ' },
    { kind: 'link', text: 'https://x.test/d', address: 'https://x.test/d' },
    { kind: 'text', text: '. ' },
    { kind: 'link', text: 'mailto:a@x.test', address: 'mailto:a@x.test' },
  ])
})

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'ftp://x.test/a',
  'blob:https://x.test/1',
  '//x.test',
  '/dashboard',
])('an address that is not of the web is text: %s', (address) => {
  expect(safeAddress(address)).toBeUndefined()
  expect(inlineOf(`[x](${address})`).filter(({ kind }) => kind === 'link')).toEqual([])
})

const hostileTexts = [
  '',
  '\0',
  '\ud800',
  '\u202eabc',
  '__proto__',
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<javascript:alert(1)>',
  '![x](javascript:alert(1))',
  '[x](https://a.test"onmouseover="alert(1))',
  '[x]: javascript:alert(1)',
  '[a](<javascript:alert(1)>)',
  '[a](&#106;avascript:alert(1))',
  '[a](https://a.test "title")',
  'https://a.test/<script>',
]

test('no text is lost or breaks the reader, however hostile', () => {
  for (const text of hostileTexts) {
    for (const line of [text, `- ${text}`, `| ${text} |\n|---|`]) expect(blocksOf(line)).toBeInstanceOf(Array)
    const links = inlineOf(text).flatMap((part) => (part.kind === 'link' ? [part.address] : []))
    for (const address of links) expect(address).toMatch(/^(https?|mailto):/i)
  }
})

test.each([
  ...['[', '](', '**a ', '*a ', '_a ', '`', '` `` ', '![', '<http://', '~~a', '((', '\\', '[a](('],
  ...['> ', '- ', '  - ', '1. ', '|-', '# ', '```\n', '>\n', '- \n', 'a\n', '|\n-|\n', '* * ', '-\n\n'],
])('the longest page of %j is read in a blink', (part) => {
  const text = part.repeat(Math.ceil(100_000 / part.length)).slice(0, 100_000)
  const since = performance.now()
  const lines = blocksOf(text).flatMap((block) => ('text' in block ? inlineOf(block.text) : []))
  expect(lines).toBeInstanceOf(Array)
  // Generous for a busy machine; time that grows with the square is a hundred times that.
  expect(performance.now() - since).toBeLessThan(2000)
})
