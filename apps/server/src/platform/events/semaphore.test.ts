import { expect, test } from 'vitest'
import { Semaphore } from '#platform/events/semaphore.ts'

test('no more than so many at a time, in the order they came, also past failures', async () => {
  const semaphore = new Semaphore(2)
  let inside = 0
  let most = 0
  const begun: number[] = []
  const work = (n: number) =>
    semaphore.take(async () => {
      begun.push(n)
      inside += 1
      most = Math.max(most, inside)
      await new Promise((resolve) => setImmediate(resolve))
      inside -= 1
      if (n % 3 === 0) throw new Error('failed')
      return n
    })
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => work(n)))
  expect(most).toBe(2)
  expect(begun).toEqual(Array.from({ length: 20 }, (_, n) => n))
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(7)
})
