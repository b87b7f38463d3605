import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { expect, test } from 'vitest'
import { BoardWorkspace } from './board-workspace.ts'

const server = useServer('product')

interface Stats {
  card_count: number
  columns: { name: string; card_count: number }[]
  claimed: number
  blocked: number
  done_last_7_days: number
}

test('the statistics of a board count its cards, claims, blocked and recently done ones', async () => {
  const workspace = await BoardWorkspace.open(server)
  const [board, other] = [await workspace.board(), await workspace.board()]
  const stats = async (of = board) =>
    (await workspace.call<Stats>('GET', `/boards/${of.id}/stats`)).body as Stats
  expect(await stats()).toMatchObject({ card_count: 0, claimed: 0, blocked: 0, done_last_7_days: 0 })

  const [blocker, waiting, claimed, done, gone] = await Promise.all(
    Array.from({ length: 5 }, () => workspace.card(board)),
  )
  if (!blocker || !waiting || !claimed || !done || !gone) throw new Error('a card is missing')
  await workspace.card(other)
  await workspace.call('PUT', `/tasks/${blocker.id}/relations/blocks/${waiting.id}`)
  await workspace.call('POST', `/tasks/${claimed.id}/claim`, { lease_seconds: 60 })
  await workspace.patch(done, { status: 'done' })
  await workspace.call('POST', `/tasks/${gone.id}/archive`)
  const counted = await stats()
  expect(counted).toMatchObject({ card_count: 4, claimed: 1, blocked: 1, done_last_7_days: 1 })
  expect(counted.columns.map(({ card_count }) => card_count).reduce((sum, n) => sum + n, 0)).toBe(4)
  expect(counted.columns.map(({ name }) => name)).toEqual(board.columns.map(({ name }) => name))

  const clock = createVirtualClock(server.database.name)
  try {
    await clock.advance(61_000)
    expect(await stats()).toMatchObject({ claimed: 0, done_last_7_days: 1 })
    await clock.advance(7 * 24 * 3600_000)
    expect(await stats()).toMatchObject({ done_last_7_days: 0 })
  } finally {
    clock.close()
  }
  await workspace.patch(blocker, { status: 'done' })
  expect(await stats()).toMatchObject({ blocked: 0 })
  expect(await stats(other)).toMatchObject({ card_count: 1 })
})
