import type { Operation } from '@crewhall/contracts/boards/batch.ts'
import { describe, expect, test } from 'vitest'
import { cardsNamedBy, stepsOf, weightOf } from './batch.rules.ts'

const plain = (title: string): Operation => ({ op: 'create', task: { title } })
const family: Operation = {
  op: 'create',
  task: { title: 'parent' },
  children: [{ title: 'child' }],
  relations: [{ kind: 'blocks', other_id: 'x' }],
}
const rename: Operation = { op: 'change', task_id: 'a', change: { title: 'b' } }

test('neighbors that are plain creations are one step, everything else is one of its own', () => {
  const operations = [plain('1'), plain('2'), rename, plain('3'), family, plain('4'), plain('5')]
  expect(stepsOf(operations).map(({ at, operations: { length } }) => [at, length])).toEqual([
    [0, 2],
    [2, 1],
    [3, 1],
    [4, 1],
    [5, 2],
  ])
  expect(stepsOf(operations).flatMap((step) => step.operations)).toEqual(operations)
})

test('children and relations count as operations', () => {
  expect(weightOf([plain('1'), family, rename])).toBe(5)
})

describe('cards that are named', () => {
  test('are those to be changed, and those that new ones are related to', () => {
    expect(cardsNamedBy([rename, family, plain('1')])).toEqual({ own: ['a'], related: ['x'], ending: [] })
  })

  test.each<[string, Operation, boolean]>([
    ['a title', rename, false],
    ['a status', { op: 'change', task_id: 'a', change: { status: 'done' } }, true],
    ['a column', { op: 'change', task_id: 'a', change: { column: 'Done' } }, true],
    ['a place in the column', { op: 'move', task_id: 'a', after_id: 'b' }, false],
    ['a move to a column', { op: 'move', task_id: 'a', column: 'Done' }, true],
    ['an archival', { op: 'archive', task_id: 'a' }, true],
  ])('%s may end what others wait for, or not', (_, operation, isEnding) => {
    expect(cardsNamedBy([operation]).ending).toEqual(isEnding ? ['a'] : [])
  })
})
