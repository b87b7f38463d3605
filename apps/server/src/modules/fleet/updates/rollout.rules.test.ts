import { expect, test } from 'vitest'
import { nextOf } from './rollout.rules.ts'

const none = { total: 100, done: 0, failed: 0, active: 0 }

test.each([
  ['the first may begin', none, 'begin'],
  ['five are canaries', { ...none, active: 4 }, 'begin'],
  ['nobody begins beside them', { ...none, active: 5 }, 'wait'],
  ['nobody begins while one canary has not ended', { ...none, done: 4, active: 1 }, 'wait'],
  ['a tenth follows', { ...none, done: 5, active: 9 }, 'begin'],
  ['not more than a tenth', { ...none, done: 5, active: 10 }, 'wait'],
  ['one failure in a hundred is below two percent', { ...none, done: 5, failed: 1 }, 'begin'],
  ['two in a hundred end it', { ...none, done: 50, failed: 2 }, 'stop'],
  ['one in fifty ends it', { ...none, total: 50, failed: 1 }, 'stop'],
  ['one of three ends it', { total: 3, done: 1, failed: 1, active: 0 }, 'stop'],
  ['fewer than five are all canaries', { total: 3, done: 0, failed: 0, active: 2 }, 'begin'],
  [
    'few machines are updated one by one after the canaries',
    { total: 7, done: 5, failed: 0, active: 1 },
    'wait',
  ],
] as const)('%s', (_, rollout, next) => {
  expect(nextOf(rollout)).toBe(next)
})

test('all machines are updated in the end, and never more at once than allowed', () => {
  for (const total of [1, 4, 5, 6, 50, 333]) {
    let [done, active, most] = [0, 0, 0]
    while (done < total) {
      while (done + active < total && nextOf({ total, done, failed: 0, active }) === 'begin') active += 1
      most = Math.max(most, active)
      expect(active).toBeGreaterThan(0)
      ;[done, active] = [done + 1, active - 1]
    }
    expect(most).toBeLessThanOrEqual(Math.max(5, Math.ceil(total / 10)))
  }
})
