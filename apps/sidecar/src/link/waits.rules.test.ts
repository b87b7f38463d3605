import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jittered, retryWait } from './waits.rules.ts'

const chance = fc.double({ min: 0, max: 1, noNaN: true })

test('a wait is ten percent more or less than was asked for', () => {
  expect([0, 0.5, 1].map((each) => jittered(30, each))).toEqual([27, 30, 33])
})

test('retries wait longer each time, up to five minutes, and never the same for all', () => {
  expect([1, 2, 3, 9, 10, 1000].map((failures) => retryWait(failures, 1))).toEqual([1, 2, 4, 256, 300, 300])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), chance, (failures, at) => {
      const [wait, most] = [retryWait(failures, at), retryWait(failures, 1)]
      expect(wait >= most / 2 && wait <= most).toBe(true)
    }),
  )
})
