import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checklist, markdown } from '#platform/http/response/markdown.ts'

test('scalars are facts, objects are sections and lists of objects are tables', () => {
  const body = {
    title: 'T',
    count: 2,
    inner: { deep: { x: 1 } },
    rows: [
      { a: 1, b: null },
      { a: 2, c: 'z' },
    ],
  }
  expect(markdown(body)).toBe(
    [
      '- **title**: T\n- **count**: 2\n',
      '## inner\n\n### deep\n\n- **x**: 1\n',
      '## rows\n\n| a | b | c |\n| --- | --- | --- |\n| 1 | - | - |\n| 2 | - | z |\n',
    ].join('\n'),
  )
})

test('lists of scalars stand in one line, and what is empty is told', () => {
  expect(markdown({ tags: ['a', 'b'], none: [], nothing: {}, missing: null })).toBe(
    '- **tags**: a, b\n- **none**: \n- **nothing**: {}\n- **missing**: -\n',
  )
  expect(markdown([])).toBe('(none)\n')
})

test('DESK-29, DESK-30, DESK-G7: a list of steps is a checklist with state, reason and hint', () => {
  const step = (state: string, reason: string | null = null, hint: string | null = null) => ({
    key: 'k',
    title: `Step ${state}`,
    state,
    reason,
    hint,
  })
  const steps = [
    step('done'),
    step('failed', 'misrouted', 'Do *this*'),
    step('pending', 'awaiting_ready'),
    step('blocked', 'blocked_by:sidecar_up'),
  ]
  expect(checklist({ name: 'A', steps })).toBe(
    [
      '- **name**: A\n',
      '## steps\n',
      '- [x] Step done: `done`',
      '- [!] Step failed: `failed`, `misrouted`\n  Do \\*this\\*',
      '- [ ] Step pending: `pending`, `awaiting_ready`',
      '- [-] Step blocked: `blocked`, `blocked_by:sidecar_up`\n',
    ].join('\n'),
  )
})

test('what is no list of steps is drawn as everywhere else', () => {
  const body = { rows: [{ title: 'T', state: 'unknown' }], others: [{ a: 1 }], none: [] }
  expect(checklist(body)).toBe(markdown(body))
})

test('no text of a step adds an item, a mark or markup', () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, (title, reason, hint) => {
      const lines = checklist({ steps: [{ title, state: 'pending', reason, hint }] }).split(
        /[\n\r\u2028\u2029]/,
      )
      expect(lines).toHaveLength(5)
      expect(lines[2]?.startsWith('- [ ] ')).toBe(true)
      expect(
        lines
          .join('')
          .replaceAll(/\\[[\]]/g, '')
          .match(/\[/g),
      ).toHaveLength(1)
    }),
  )
})

const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'#|-*_`[]<>\\ \n\r\u2028a') }),
  fc.string({ unit: 'grapheme' }),
)

test('no text of a fact adds a line', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(markdown({ before: 1, text, after: 2 }).split(/[\n\r\u2028\u2029]/)).toHaveLength(4)
    }),
    { numRuns: 1000 },
  )
})

test('no text of a table adds a row or a cell', () => {
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      const lines = markdown([{ a, b }]).trimEnd().split('\n')
      expect(lines).toHaveLength(3)
      // A bar that is not escaped is one with an even number of backslashes before it.
      const bars = [...(lines[2] ?? '').matchAll(/(\\*)\|/g)].filter(
        ([, slashes = '']) => slashes.length % 2 === 0,
      )
      expect(bars).toHaveLength(3)
    }),
    { numRuns: 1000 },
  )
})

test('what other dialects read as markup is text too: entities, lines through words, plain addresses', () => {
  expect(markdown({ text: '&lt; ~~gone~~ https://a.example/b: c' })).toBe(
    '- **text**: \\&lt; \\~\\~gone\\~\\~ https\\://a.example/b: c\n',
  )
  expect(markdown({ text: 'www.a.example WWW.b.example c@d.example' })).toBe(
    '- **text**: www\\.a.example WWW\\.b.example c\\@d.example\n',
  )
})

test('headings stop at six levels', () => {
  const deep = Array.from({ length: 9 }).reduce<unknown>((inner) => ({ a: inner }), { x: 1 })
  const levels = [...markdown(deep).matchAll(/^(#+) /gm)].map(([, marks = '']) => marks.length)
  expect(levels).toEqual([2, 3, 4, 5, 6, 6, 6, 6, 6])
})
