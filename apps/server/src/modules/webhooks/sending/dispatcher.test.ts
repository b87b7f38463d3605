import { expect, test } from 'vitest'
import { Dispatcher } from './dispatcher.ts'

test('a start does not wait for the work, until all places are taken', async () => {
  const dispatcher = new Dispatcher(2)
  const ends: (() => void)[] = []
  const begun: number[] = []
  const start = (n: number) =>
    dispatcher.start(
      async () => n,
      (claimed) => {
        begun.push(claimed)
        return new Promise<void>((end) => ends.push(end))
      },
    )
  await Promise.all([start(1), start(2)])
  const third = start(3)
  // A turn of the loop in which a start that does not wait would have begun.
  await new Promise(setImmediate)
  expect(begun).toEqual([1, 2])
  ends[0]?.()
  await third
  expect(begun).toEqual([1, 2, 3])
})

test('a claim that finds nothing or fails gives its place back', async () => {
  const dispatcher = new Dispatcher(1)
  const work = async () => {}
  await dispatcher.start(async () => undefined, work)
  await expect(dispatcher.start(() => Promise.reject(new Error('away')), work)).rejects.toThrow('away')
  let begun = false
  await dispatcher.start(
    async () => 1,
    async () => {
      begun = true
    },
  )
  expect(begun).toBe(true)
})

test('closing takes work back, waits for its end, and starts nothing more', async () => {
  const dispatcher = new Dispatcher(1)
  let ended = false
  await dispatcher.start(
    async () => 1,
    (_, signal) =>
      new Promise<void>((end) => {
        signal.addEventListener('abort', () => {
          ended = true
          end()
        })
      }),
  )
  let begun = 0
  const waiting = dispatcher.start(
    async () => 1,
    async () => {
      begun += 1
    },
  )
  await dispatcher.close()
  await waiting
  expect([ended, begun]).toEqual([true, 0])
})
