import { expect, test } from 'vitest'
import { inOrder } from './in-order.ts'

test('the first statement that failed is the reason, also when a later one is heard of sooner', async () => {
  const slow = (async () => {
    await new Promise(setImmediate)
    throw new Error('the name is taken')
  })()
  const quick = Promise.reject(new Error('the transaction is aborted'))
  await expect(inOrder([Promise.resolve(1), slow, quick])).rejects.toThrow('the name is taken')
})

test('results come in the order of the statements', async () => {
  const slow = new Promise<string>((resolve) => setImmediate(() => resolve('a')))
  expect(await inOrder([slow, Promise.resolve(2)])).toEqual(['a', 2])
})
