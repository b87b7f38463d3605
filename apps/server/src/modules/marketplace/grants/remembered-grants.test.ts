import { expect, test } from 'vitest'
import { RememberedGrants } from './remembered-grants.ts'

const maxAge = 60_000

function made(limit = 100) {
  const listeners = new Map<string, () => void>()
  const remembered = new RememberedGrants<string>({
    max_age_ms: maxAge,
    limit,
    listen(group, changed) {
      listeners.set(group, changed)
      return () => listeners.delete(group)
    },
  })
  const find = (group: string, id: string, now: number, value: string, read_at = now) =>
    remembered.find(group, id, now, async () => ({ value, read_at }))
  return { remembered, find, listeners, change: (group: string) => listeners.get(group)?.() }
}

test.each([
  ['at once', 0, 'old'],
  ['a millisecond before its age', maxAge - 1, 'old'],
  ['at its age', maxAge, 'new'],
  ['after the clock was set back', -1, 'new'],
])('a value is read %s: %i ms later it is the %s one', async (_, later, expected) => {
  const { find } = made()
  await find('1', 'a', 1_000_000, 'old')
  expect(await find('1', 'a', 1_000_000 + later, 'new')).toBe(expected)
})

test('a change forgets the values of its group and no other', async () => {
  const { find, change } = made()
  await find('1', 'a', 0, 'old')
  await find('2', 'a', 0, 'old')
  change('1')
  expect([await find('1', 'a', 0, 'new'), await find('2', 'a', 0, 'new')]).toEqual(['new', 'old'])
})

test('a read that a change overtakes is not remembered, and nobody who comes later joins it', async () => {
  const { remembered, find, change } = made()
  const { promise, resolve } = Promise.withResolvers<{ value: string; read_at: number }>()
  const early = remembered.find('1', 'a', 0, () => promise)
  change('1')
  expect(await find('1', 'a', 0, 'new')).toBe('new')
  resolve({ value: 'old', read_at: 0 })
  expect(await early).toBe('old')
  expect(await find('1', 'a', 0, 'newer')).toBe('new')
})

test('many who ask at once cause one read', async () => {
  const { remembered } = made()
  let reads = 0
  const read = async () => {
    reads += 1
    return { value: 'x', read_at: 0 }
  }
  await Promise.all(Array.from({ length: 50 }, () => remembered.find('1', 'a', 0, read)))
  expect(reads).toBe(1)
})

test('a read that fails is tried again, and leaves no listener behind', async () => {
  const { remembered, find, listeners } = made()
  const failing = remembered.find('1', 'a', 0, () => Promise.reject(new Error('away')))
  await expect(failing).rejects.toThrow('away')
  expect(listeners.size).toBe(0)
  expect(await find('1', 'a', 0, 'there')).toBe('there')
})

test('what has been unused for longest goes first, with its listener', async () => {
  const { find, listeners } = made(3)
  for (const group of ['1', '2', '3']) await find(group, 'a', 0, 'old')
  await find('1', 'a', 0, 'new')
  await find('4', 'a', 0, 'old')
  expect([...listeners.keys()].sort()).toEqual(['1', '3', '4'])
  expect(await find('1', 'a', 0, 'new')).toBe('old')
})

test('one group with more values than there is room for is bounded as well', async () => {
  const { find, listeners } = made(10)
  for (let n = 0; n < 1000; n += 1) await find('1', String(n), 0, 'x')
  expect(listeners.size).toBeLessThanOrEqual(1)
})
