import { expect, test } from 'vitest'
import { bulkheads } from '#platform/bulkheads/bulkheads.ts'
import { Places } from './places.ts'

const never = new AbortController().signal
const { owner, all } = bulkheads.tool_calls

test('workspaces that take all they can leave places for each of the others', async () => {
  const places = new Places({ owner: { ...owner, waiting: 0 }, all })
  const takers = Array.from({ length: 20 }, (_, n) => `greedy ${n}`)
  for (const taker of takers)
    for (let n = 0; n < owner.places + 1; n += 1) await places.take(taker, never).catch(() => undefined)
  expect(places.taken).toBeLessThanOrEqual(all.places - all.kept_free + takers.length)
  for (let n = 0; n < 20; n += 1) await places.take(`modest ${n}`, never)
})

test('beyond the last place, everybody is told so at once, and a place that is left is free', async () => {
  const places = new Places({ owner, all: { places: 2, kept_free: 0 } })
  const leave = await places.take('a', never)
  await places.take('b', never)
  await expect(places.take('c', never)).rejects.toMatchObject({ failure: 'busy' })
  leave()
  await places.take('c', never)
  expect(places.taken).toBe(2)
})

test('whoever waits for a place of the workspace and gives up takes none', async () => {
  const places = new Places({ owner: { places: 1, waiting: 5, wait_ms: 60_000 }, all })
  const leave = await places.take('a', never)
  const abort = new AbortController()
  const waiting = places.take('a', abort.signal)
  abort.abort()
  await expect(waiting).rejects.toMatchObject({ failure: 'busy' })
  leave()
  await places.take('a', never)
  expect(places.taken).toBe(1)
})
