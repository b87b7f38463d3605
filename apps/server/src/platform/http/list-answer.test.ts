import type { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { ListAnswer, textOfList } from './list-answer.ts'

const serialise = ({ items, ...rest }: Readonly<Record<string, unknown>>) =>
  JSON.stringify({ items, ...rest })
const head = { total: 3, note: '],"items":[' }

async function* batchesOf(batches: readonly (readonly unknown[])[], read: number[] = []) {
  for (const [at, batch] of batches.entries()) {
    read.push(at)
    yield batch
  }
}

test.each([[[]], [[[]]], [[[{ a: ']' }]]], [[[1, 2], [], [3]]]])(
  'the text of %j is that of the list as a whole',
  async (batches) => {
    const whole = serialise({ items: batches.flat(), ...head })
    expect(await textOfList({ head, batches: batchesOf(batches) }, serialise)).toBe(whole)
  },
)

test('S10: a long list is read as it is taken, and never more than a batch ahead', async () => {
  const batches = Array.from({ length: 50 }, (_, n) => [`${n}`.padEnd(600_000, '語')])
  const read: number[] = []
  const stream = (await textOfList({ head, batches: batchesOf(batches, read) }, serialise)) as Readable
  expect(read).toEqual([0])
  let text = ''
  let ahead = 0
  let taken = 0
  for await (const piece of stream) {
    text += piece
    taken += 1
    ahead = Math.max(ahead, read.length - taken)
  }
  expect(text === serialise({ items: batches.flat(), ...head })).toBe(true)
  expect(ahead).toBeLessThanOrEqual(2)
})

test('a list under another name, cut into slices, is the same text', async () => {
  const guests = Array.from({ length: 600 }, (_, n) => ({ n }))
  const named = (body: Readonly<Record<string, unknown>>) =>
    JSON.stringify({ guests: body.guests, total: 600 })
  const { list } = ListAnswer.of({ name: 'guests', total: 600 }, guests)
  expect(await textOfList(list, named)).toBe(named({ guests }))
})

test('an object with many keys, cut into slices, is the same text', async () => {
  const entries = new Map(Array.from({ length: 600 }, (_, n) => [`key-${n}`, { n }]))
  const { list } = ListAnswer.map({ name: 'entries', total: 600 }, entries)
  const whole = JSON.stringify({ total: 600, entries: Object.fromEntries(entries) })
  expect(await textOfList(list, (body) => JSON.stringify(body))).toBe(whole)
  const none = ListAnswer.map({ name: 'entries' }, new Map()).list
  expect(await textOfList(none, (body) => JSON.stringify(body))).toBe('{"entries":{}}')
})
