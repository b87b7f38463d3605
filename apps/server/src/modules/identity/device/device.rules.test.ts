import { expect, test } from 'vitest'
import { type DeviceStatus, nextInterval, nextOfPoll, type PollOutcome } from './device.rules.ts'

test.each<[DeviceStatus, { is_expired?: boolean; is_early?: boolean }, PollOutcome]>([
  ['pending', {}, 'wait'],
  ['pending', { is_early: true }, 'slow_down'],
  ['pending', { is_expired: true }, 'expired'],
  ['pending', { is_expired: true, is_early: true }, 'expired'],
  ['approved', {}, 'hand_over'],
  ['approved', { is_early: true }, 'hand_over'],
  ['approved', { is_expired: true }, 'expired'],
  ['denied', {}, 'denied'],
  ['denied', { is_early: true }, 'denied'],
  ['denied', { is_expired: true }, 'expired'],
  ['redeemed', {}, 'expired'],
  ['expired', {}, 'expired'],
])('a poll of a code that is %s, with %o, ends in %s', (status, facts, outcome) => {
  expect(nextOfPoll({ status, is_expired: false, is_early: false, ...facts })).toBe(outcome)
})

test('each slow_down adds five seconds, up to a minute', () => {
  const intervals = [5]
  for (let n = 0; n < 13; n += 1) intervals.push(nextInterval(intervals.at(-1) ?? 0))
  expect(intervals).toEqual([5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 60, 60])
})
