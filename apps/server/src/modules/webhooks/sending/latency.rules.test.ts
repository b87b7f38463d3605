import { expect, test } from 'vitest'
import { isSlowLatency, nextLatencyMs } from './latency.rules.ts'

test('S12: a receiver that hung once is slow, and after three quick answers no longer', () => {
  const hung = nextLatencyMs(40, 15_000)
  expect(isSlowLatency(hung)).toBe(true)
  const answers = [40, 40, 40].map(
    (
      (latency) => (newest: number) =>
        (latency.ms = nextLatencyMs(latency.ms, newest))
    )({ ms: hung }),
  )
  expect(answers.map(isSlowLatency)).toEqual([true, false, false])
})

test('one that takes a second and a half each time is not slow', () => {
  expect(isSlowLatency(nextLatencyMs(1500, 1500))).toBe(false)
})
