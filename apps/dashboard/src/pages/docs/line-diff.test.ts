import { expect, test } from 'vitest'
import { diffLines } from './line-diff.ts'

const signs = { same: ' ', first: '-', second: '+' } as const
const told = (first: string, second: string) =>
  diffLines(first, second).map(({ kind, text }) => signs[kind] + text)

test.each([
  ['a\nb\nc', 'a\nb\nc', [' a', ' b', ' c']],
  ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
  ['a\nb\nc\nd', 'b\nc\ne\nd', ['-a', ' b', ' c', '+e', ' d']],
  ['', 'a', ['-', '+a']],
  ['a\na', 'a', [' a', '-a']],
])('%j becomes %j', (first, second, lines) => {
  expect(told(first, second)).toEqual(lines)
})

test('each text can be read from the comparison, also where it is too long for one', () => {
  const long = (sign: string) => Array.from({ length: 3000 }, (_, at) => `${sign}${at % 7}`).join('\n')
  for (const [first, second] of [
    ['x\ny\nx\ny\ny', 'y\nx\nx\ny'],
    [long('a'), long('b')],
  ] as const) {
    const lines = diffLines(first, second)
    const of = (kind: 'first' | 'second') =>
      lines.flatMap((line) => (line.kind === 'same' || line.kind === kind ? [line.text] : [])).join('\n')
    expect([of('first'), of('second')]).toEqual([first, second])
  }
})
