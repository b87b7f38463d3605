import { useServer } from '@crewhall/testkit/test-server.ts'
import { verifyData } from '@crewhall/testkit/verify-data.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card, columnOf } from './board-workspace.ts'

const server = useServer('product')
let workspace: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
})

interface Entry {
  action: string
  task_id: string | null
  data: Record<string, unknown>
}
const feedOf = async (board: Board) =>
  (await workspace.call<{ items: Entry[] }>('GET', `/activity/boards/${board.id}?limit=200`)).body.items

/** Cards in progress, one of them claimed, and a card on another board that waits for two of them. */
async function world() {
  const [board, other] = [await workspace.board(), await workspace.board()]
  const cards: Card[] = []
  for (let n = 0; n < 3; n += 1) cards.push(await workspace.card(board, { column: 'In progress' }))
  const waiting = await workspace.card(other)
  for (const { id } of cards.slice(0, 2)) {
    await workspace.call('PUT', `/tasks/${id}/relations/blocks/${waiting.id}`)
  }
  await workspace.call('POST', `/tasks/${cards[2]?.id}/claim`, { worker: 'one' })
  return { board, other, cards, waiting }
}

const ways: readonly [string, (board: Board) => Promise<number>, string][] = [
  [
    'a column that gets another status',
    async (board) => {
      const path = `/columns/${columnOf(board, 'In progress').id}`
      return (await workspace.call('PATCH', path, { status: 'done' })).status
    },
    'In progress',
  ],
  [
    'a column that is removed',
    async (board) => {
      const path = `/columns/${columnOf(board, 'In progress').id}?move_to=${columnOf(board, 'Done').id}`
      return (await workspace.call('DELETE', path)).status
    },
    'Done',
  ],
]

test.each(ways)('K2: cards of %s are done with all that follows, on other boards too', async (_, act) => {
  const { board, other, cards, waiting } = await world()
  expect(await act(board)).toBe(200)
  for (const card of cards) {
    const { status, completed_at, claim } = await workspace.read(card)
    expect({ status, claim }).toEqual({ status: 'done', claim: null })
    expect(completed_at).toEqual(expect.any(String))
  }
  expect(await workspace.read(waiting)).toMatchObject({ open_blockers: 0, is_ready: true })
  const told = (await feedOf(other)).filter(({ action }) => action === 'task.unblocked')
  expect(told.map(({ task_id }) => task_id)).toEqual([waiting.id])
  expect(await verifyData(server.database.url)).toMatchObject({ code: 0 })
})

test.each(ways)('K16: the feed names every card of %s, and what it was and is', async (_, act, column) => {
  const { board, cards } = await world()
  await act(board)
  const entry = (await feedOf(board)).find(({ action }) => action === 'task.batch_changed')
  expect(entry?.data).toEqual({
    task_ids: cards.map(({ id }) => id),
    from: { column: 'In progress', status: 'in_progress' },
    to: { column, status: 'done' },
  })
})

test('K2: times follow when a column becomes one of work in progress, and when it is opened again', async () => {
  const { board, cards, waiting } = await world()
  const column = columnOf(board, 'In progress').id
  await workspace.call('PATCH', `/columns/${column}`, { status: 'done' })
  await workspace.call('PATCH', `/columns/${column}`, { status: 'review' })
  const [card] = cards
  if (!card) throw new Error('there is no card')
  expect(await workspace.read(card)).toMatchObject({ status: 'review', completed_at: null })
  expect(await workspace.read(waiting)).toMatchObject({ open_blockers: 2, is_ready: false })
  const { id } = await workspace.card(board, { column: 'To do' })
  await workspace.call('PATCH', `/columns/${columnOf(board, 'To do').id}`, { status: 'in_progress' })
  const begun = (await workspace.call<Card>('GET', `/tasks/${id}`)).body
  expect(begun).toMatchObject({ status: 'in_progress', started_at: expect.any(String) })
})
