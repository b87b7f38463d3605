import { expect, test } from 'vitest'
import { FairPlaces } from '#platform/bulkheads/fair-places.ts'
import { Dispatcher, type Order } from './dispatcher.ts'

const limit = (places: number) => ({ places, kept_free: 0 })
const made = (places: number) =>
  new Dispatcher(new FairPlaces({ all: limit(places), slow: limit(places), receiver: limit(places) }))
const settled = () => new Promise(setImmediate)

/** Work that ends when told to. */
function order(key: string, more: Partial<Order<string>> = {}) {
  const end = Promise.withResolvers<void>()
  const seen: string[] = []
  const whole: Order<string> = {
    key,
    wanted: { owner: key, receiver: key, is_slow: false },
    claim: async () => key,
    work: (claimed) => {
      seen.push(claimed)
      return end.promise
    },
    failed: (error) => seen.push(`failed: ${error}`),
    ...more,
  }
  return { whole, seen, end: () => end.resolve() }
}

test('a start does not wait, and what finds no place begins when one gets free', async () => {
  const dispatcher = made(1)
  const [first, second] = [order('a'), order('b')]
  dispatcher.start(first.whole)
  dispatcher.start(second.whole)
  await settled()
  expect([first.seen, second.seen, dispatcher.keys]).toEqual([['a'], [], ['a', 'b']])
  first.end()
  await settled()
  expect([second.seen, dispatcher.keys]).toEqual([['b'], ['b']])
})

test('what is under way is not begun again', async () => {
  const dispatcher = made(2)
  const one = order('a')
  dispatcher.start(one.whole)
  dispatcher.start(one.whole)
  await settled()
  expect(one.seen).toEqual(['a'])
  one.end()
  await settled()
  dispatcher.start(one.whole)
  await settled()
  expect(one.seen).toEqual(['a', 'a'])
})

test('a claim that finds nothing or fails, and work that fails, give their place back', async () => {
  const dispatcher = made(1)
  dispatcher.start(order('a', { claim: async () => undefined }).whole)
  const away = order('b', { claim: () => Promise.reject(new Error('away')) })
  const broken = order('c', { work: () => Promise.reject(new Error('broken')) })
  dispatcher.start(away.whole)
  dispatcher.start(broken.whole)
  const last = order('d')
  dispatcher.start(last.whole)
  await settled()
  expect([away.seen, broken.seen, last.seen]).toEqual([
    ['failed: Error: away'],
    ['failed: Error: broken'],
    ['d'],
  ])
})

test('closing tells work to stop, waits for its end, and begins nothing more', async () => {
  const dispatcher = made(1)
  let ended = false
  const one = order('a', {
    work: (_, { signal }) =>
      new Promise<void>((end) => {
        signal.addEventListener('abort', () => {
          ended = true
          end()
        })
      }),
  })
  const next = order('b')
  dispatcher.start(one.whole)
  dispatcher.start(next.whole)
  await settled()
  await dispatcher.close()
  dispatcher.start(order('c').whole)
  expect([ended, next.seen, dispatcher.keys]).toEqual([true, [], []])
})
