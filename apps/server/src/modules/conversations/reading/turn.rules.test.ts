import { expect, test } from 'vitest'
import { isSpent, waitAfter } from './turn.rules.ts'

test('a failure waits on the ladder; at its end the source is paused, or tried for ever', () => {
  const waits = (pauses: 'now' | 'later' | 'never') =>
    [1, 2, 3, 4, 5, 6].map((failures) => waitAfter({ failures, pauses }))
  expect(waits('now')).toEqual(Array(6).fill(undefined))
  expect(waits('later')).toEqual([600, 1800, 7200, 28_800, undefined, undefined])
  expect(waits('never')).toEqual([600, 1800, 7200, 28_800, 28_800, 28_800])
})

test('a turn is spent when any of its limits is reached', () => {
  const limits = { steps: 2, messages: 3, bytes: 4 }
  expect(isSpent({ steps: 1, messages: 2, bytes: 3 }, limits)).toBe(false)
  for (const one of [{ steps: 2 }, { messages: 3 }, { bytes: 5 }])
    expect(isSpent({ steps: 0, messages: 0, bytes: 0, ...one }, limits)).toBe(true)
})
