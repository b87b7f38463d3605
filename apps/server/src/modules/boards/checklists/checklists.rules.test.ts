import { expect, test } from 'vitest'
import { orderAfter } from './checklists.rules.ts'

const ids = ['a', 'b', 'c', 'd']

test.each([
  ['nothing is named', {}, 'abcd'],
  ['it goes before the first', { before_id: 'a' }, 'cabd'],
  ['it goes after the last', { after_id: 'd' }, 'abdc'],
  ['it stays between two', { after_id: 'b', before_id: 'd' }, 'abcd'],
  ['it goes right under the upper one', { after_id: 'a', before_id: 'd' }, 'acbd'],
  ['the lower one is above', { after_id: 'b', before_id: 'a' }, undefined],
  ['it is named itself', { after_id: 'c' }, undefined],
  ['the lower one is missing', { after_id: 'a', before_id: 'x' }, undefined],
  ['the other one is missing', { before_id: 'x' }, undefined],
])('c, when %s', (_, beside, order) => {
  expect(orderAfter(ids, 'c', beside)?.join('')).toBe(order)
})
