import { expect, test } from 'vitest'
import { bulkheads } from '#platform/bulkheads/bulkheads.ts'
import { KeyedSemaphore } from '#platform/bulkheads/keyed-semaphore.ts'
import { Life } from '#platform/bulkheads/life.ts'
import { createTurnQueues, Turns } from '#platform/bulkheads/turns.ts'
import { Outage } from '#platform/outage/outage.ts'

const overloaded = { name: 'Outage', status: 503, reason: 'overloaded' }

test('K3: so many are inside at a time, the others enter in the order in which they came', async () => {
  const semaphores = new KeyedSemaphore<string>({ places: 2, waiting: 10, wait_ms: 5000 })
  const entered: number[] = []
  const enter = (n: number) => semaphores.enter('a', undefined).then(() => entered.push(n))
  await Promise.all([enter(1), enter(2)])
  const later = [enter(3), enter(4)]
  await new Promise(setImmediate)
  expect(entered).toEqual([1, 2])
  // Another key has places of its own.
  await semaphores.enter('b')
  semaphores.leave('a')
  await later[0]
  expect(entered).toEqual([1, 2, 3])
  semaphores.leave('a')
  await later[1]
  expect(entered).toEqual([1, 2, 3, 4])
  semaphores.leave('a')
  semaphores.leave('a')
  semaphores.leave('b')
  expect(semaphores.size).toBe(0)
})

test('K3: whoever finds the queue full, or waits too long in it, is turned away with 503', async () => {
  const semaphores = new KeyedSemaphore<string>({ places: 1, waiting: 1, wait_ms: 50 })
  await semaphores.enter('a')
  const waiting = semaphores.enter('a')
  await expect(semaphores.enter('a')).rejects.toMatchObject(overloaded)
  await expect(waiting).rejects.toMatchObject(overloaded)
  semaphores.leave('a')
  expect(semaphores.size).toBe(0)
})

test('K3: a caller that waits for another key as soon as it is turned away is turned away there as well', async () => {
  const semaphores = new KeyedSemaphore<string>({ places: 1, waiting: 1, wait_ms: 20 })
  await semaphores.enter('looked at first')
  await semaphores.enter('a')
  const again = Promise.withResolvers<void>()
  semaphores.whenEntered('a', undefined, () => again.resolve(semaphores.enter('looked at first')))
  await expect(again.promise).rejects.toMatchObject(overloaded)
})

test('K3: a caller that has hung up leaves the queue at once', async () => {
  const semaphores = new KeyedSemaphore<string>({ places: 1, waiting: 5, wait_ms: 60_000 })
  const life = new Life()
  await semaphores.enter('a')
  const waiting = semaphores.enter('a', life)
  const next = semaphores.enter('a')
  const gone = new Outage('service', 'unreachable')
  life.end(gone)
  await expect(waiting).rejects.toBe(gone)
  semaphores.leave('a')
  await next
  semaphores.leave('a')
  expect(semaphores.size).toBe(0)
})

const turn = (id: string) => ({ kind: 'board', key: `board:1:${id}` }) as const
const noWaits = { queued: () => {}, locked: () => {} }

test('K3: a transaction that finds all places of a board taken waits outside, and runs again with its turn', async () => {
  const semaphores = createTurnQueues(1000, noWaits)
  const { key } = turn('a')
  for (let n = 0; n < bulkheads.turns.board.places; n += 1) await semaphores.board.enter(key)
  let attempts = 0
  const turns = new Turns(semaphores, undefined)
  const work = turns.over(async () => {
    attempts += 1
    turns.need([turn('a')])
    return 'done'
  })
  await new Promise(setImmediate)
  expect(attempts).toBe(1)
  semaphores.board.leave(key)
  expect(await work).toBe('done')
  expect(attempts).toBe(2)
})

test('K3: a write whose path names its board waits before its first attempt', async () => {
  const semaphores = createTurnQueues(1000, noWaits)
  const { key } = turn('a')
  for (let n = 0; n < bulkheads.turns.board.places; n += 1) await semaphores.board.enter(key)
  let attempts = 0
  const work = new Turns(semaphores, undefined, [turn('a')]).over(async () => {
    attempts += 1
  })
  await new Promise(setImmediate)
  expect(attempts).toBe(0)
  semaphores.board.leave(key)
  await work
  expect(attempts).toBe(1)
})

test('K3: two writers that need two boards in opposite orders both get their turns', async () => {
  const semaphores = createTurnQueues(1000, noWaits)
  const both = async (first: string, second: string) => {
    const turns = new Turns(semaphores, undefined)
    return turns.over(async () => {
      turns.need([turn(first)])
      await new Promise(setImmediate)
      turns.need([turn(second)])
      return 'done'
    })
  }
  const all = Array.from({ length: 12 }, (_, n) => (n % 2 ? both('a', 'b') : both('b', 'a')))
  expect(await Promise.all(all)).toEqual(Array(12).fill('done'))
  expect(semaphores.board.size).toBe(0)
})
