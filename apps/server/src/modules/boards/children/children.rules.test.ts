import { expect, test } from 'vitest'
import { deriveProgress } from './children.rules.ts'

test('of sub-tasks, the canceled ones count for nothing, and those without an estimate are told', () => {
  expect(
    deriveProgress([
      { status: 'done', estimate: 3 },
      { status: 'done', estimate: null },
      { status: 'pending', estimate: 0.5 },
      { status: 'canceled', estimate: 8 },
    ]),
  ).toEqual({ total: 3, done: 2, estimate: 3.5, estimate_done: 3, unestimated: 1 })
  expect(deriveProgress([])).toEqual({ total: 0, done: 0, estimate: 0, estimate_done: 0, unestimated: 0 })
})
