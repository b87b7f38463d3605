import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let other: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  other = await BoardWorkspace.open(server)
})

interface Entry {
  id: string
  action: string
  created_at: string
  actor: { kind: string; id: string; name: string }
  data: Record<string, unknown>
}
interface Feed {
  items: Entry[]
  next_cursor: string | null
}
const feed = (board: Board, query = '', by = workspace) =>
  by.call<Feed>('GET', `/activity/boards/${board.id}${query}`)

test('BRD-34 BRD-35 BRD-36: entries tell id, action and time, newest first', async () => {
  const board = await workspace.board()
  const card = await workspace.card(board)
  await workspace.patch(card, { status: 'done' })
  const { status, body } = await feed(board)
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['items', 'next_cursor'])
  expect(body.items.map(({ action }) => action)).toEqual(['task.moved', 'task.created', 'board.created'])
  const [moved] = body.items
  expect(typeof moved?.id).toBe('string')
  expect(moved?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z$/)
  expect(moved?.data).toEqual({ from: 'To do', to: 'Done' })
  expect(moved?.actor).toMatchObject({ kind: 'member', id: String(workspace.owner.person_id) })
})

test('BRD-37 BRD-G15: after a cursor a burst larger than the page is read to its end, nothing twice', async () => {
  const board = await workspace.board()
  const start = (await feed(board)).body.next_cursor
  for (let n = 0; n < 10; n += 1) await workspace.card(board, { title: `Card ${n}` })
  const seen: string[] = []
  let cursor = start
  for (let page = 0; page < 4; page += 1) {
    const { body } = await feed(board, `?limit=3&since=${cursor}`)
    expect(body.items.length).toBe(page < 3 ? 3 : 1)
    seen.push(...body.items.toReversed().map(({ id }) => id))
    cursor = body.next_cursor
  }
  const all = (await feed(board)).body.items.filter(({ action }) => action === 'task.created')
  expect(seen).toEqual(all.toReversed().map(({ id }) => id))
})

test('BRD-G16: an empty page hands the same cursor back; a board always has its first entry', async () => {
  const board = await workspace.board()
  const { body } = await feed(board)
  expect(body.next_cursor).not.toBeNull()
  expect((await feed(board, `?since=${body.next_cursor}`)).body).toEqual({
    items: [],
    next_cursor: body.next_cursor,
  })
})

test('BRD-39: what this endpoint did not issue for this board is no cursor', async () => {
  const [board, second] = [await workspace.board(), await workspace.board()]
  const cursor = (await feed(board)).body.next_cursor ?? ''
  const foreign = (await feed(second)).body.next_cursor ?? ''
  const edited = cursor.slice(0, -1) + (cursor.endsWith('A') ? 'B' : 'A')
  for (const since of [foreign, edited, '2026-01-01T00:00:00Z', 'x', '', `${cursor}=`, '%00']) {
    const { status, body } = await feed(
      board,
      `?since=${since === '%00' ? since : encodeURIComponent(since)}`,
    )
    expect([since, status]).toEqual([since, 400])
    expect(body).toHaveProperty('detail')
  }
})

test('BRD-40 BRD-G18: no board and a foreign board are one 404', async () => {
  const foreign = await other.board()
  for (const id of [foreign.id, '00000000-0000-4000-8000-000000000000', 'x']) {
    const { status, body } = await workspace.call('GET', `/activity/boards/${id}`)
    expect({ status, body }).toEqual({ status: 404, body: { detail: 'Board not found' } })
  }
})

test.each(['limit=0', 'limit=201', 'limit=x', 'limit='])('BRD-G17: %s is 400', async (query) => {
  const board = await workspace.board()
  expect((await feed(board, `?${query}`)).status).toBe(400)
  expect((await feed(board, '?limit=200')).status).toBe(200)
})

test('a refused change leaves no entry', async () => {
  const board = await workspace.board()
  const card = await workspace.card(board)
  const before = (await feed(board)).body
  await workspace.patch(card, { column: 'Done', status: 'pending' })
  await workspace.patch(card, { title: card.title })
  expect((await feed(board)).body).toEqual(before)
})

test('another place in the same column is told as well,', async () => {
  const board = await workspace.board()
  const [first, second] = [await workspace.card(board), await workspace.card(board)]
  await workspace.move(second, { before_id: first.id })
  const [newest] = (await feed(board)).body.items
  expect(newest).toMatchObject({ action: 'task.moved', data: { from: 'To do', to: 'To do' } })
  const { items } = (await workspace.list(board)).body
  expect(items.map(({ id }) => id)).toEqual([second.id, first.id])
})
