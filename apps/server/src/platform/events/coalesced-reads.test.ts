import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CoalescedReads } from '#platform/events/coalesced-reads.ts'
import { Semaphore } from '#platform/events/semaphore.ts'

test('who asks before a read has begun shares it, who asks later gets a new one', async () => {
  const reads = new CoalescedReads(new Semaphore(1))
  let begun = 0
  const work = async () => {
    begun += 1
    const number = begun
    await setImmediate()
    return number
  }
  const together = [reads.read('a', work), reads.read('a', work)]
  while (begun === 0) await setImmediate()
  const late = [reads.read('a', work), reads.read('a', work)]
  expect(await Promise.all([...together, ...late])).toEqual([1, 1, 2, 2])
  expect(await reads.read('a', work)).toBe(3)
})

test('other keys are other reads', async () => {
  const reads = new CoalescedReads(new Semaphore(2))
  const both = [reads.read('a', async () => 'of a'), reads.read('b', async () => 'of b')]
  expect(await Promise.all(both)).toEqual(['of a', 'of b'])
})

test('a failure is told to all who shared it, and to nobody after them', async () => {
  const reads = new CoalescedReads(new Semaphore(1))
  const failing = () => Promise.reject(new Error('away'))
  const both = await Promise.allSettled([reads.read('a', failing), reads.read('a', failing)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await reads.read('a', async () => 'back')).toBe('back')
})
