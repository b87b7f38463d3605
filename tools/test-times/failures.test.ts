import { expect, test } from 'vitest'
import { failureLines } from './failures.ts'

test('a failure is one line: file, titles and the first line of its message', () => {
  const where = ['conformance/boards/cards.test.ts', 'BRD-1: a card has a title']
  expect(failureLines([{ where, message: '\nexpected 503 to be 201\n\n- 201\n+ 503' }])).toEqual([
    'conformance/boards/cards.test.ts > BRD-1: a card has a title: expected 503 to be 201',
  ])
})

test('a failure without a message is named, and a long message is cut', () => {
  const [silent, long = ''] = failureLines([
    { where: ['a.test.ts'], message: '' },
    { where: ['b.test.ts'], message: 'x'.repeat(10_000) },
  ])
  expect(silent).toBe('a.test.ts: ')
  expect(long.length).toBeLessThan(400)
})
