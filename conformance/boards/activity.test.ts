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
  task_id: string | null
  actor: { kind: string; id: string; name: string }
  data: Record<string, unknown>
}
interface Feed {
  items: Entry[]
  next_cursor: string | null
  older_cursor?: string | null
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

/** Page after page to the first entry of the board. */
async function readBack(board: Board, query: string, between = async () => {}): Promise<Entry[]> {
  const seen: Entry[] = []
  let before: string | null = 'now'
  while (before !== null) {
    const { status, body }: { status: number; body: Feed } = await feed(board, `?${query}&before=${before}`)
    expect(status).toBe(200)
    seen.push(...body.items)
    before = body.older_cursor ?? null
    await between()
  }
  return seen
}
const idsOf = (entries: readonly Entry[]) => entries.map(({ id }) => id)

test('BRD-35 BRD-38: read backwards, each entry comes once, whatever is written meanwhile', async () => {
  const board = await workspace.board()
  for (let n = 0; n < 8; n += 1) await workspace.card(board)
  const before = (await feed(board)).body.items
  expect(before).toHaveLength(9)
  const seen = await readBack(board, 'limit=4', async () => {
    await workspace.card(board)
  })
  expect(seen).toEqual(before)
})

test('BRD-38: read backwards, entries of one microsecond are neither repeated nor skipped', async () => {
  const board = await workspace.board()
  await server.sql(
    `insert into boards.activity (brand_id, board_id, created_at, action, actor)
     select brand_id, id, last_activity_at, 'task.moved', 
       '{"kind":"system","id":"x","name":"x","on_behalf_of":null}'
     from boards.boards, generate_series(1, 10) where id = $1`,
    [board.id],
  )
  const all = (await feed(board)).body.items
  expect(new Set(all.map(({ created_at }) => created_at)).size).toBe(1)
  expect(idsOf(await readBack(board, 'limit=3'))).toEqual(idsOf(all))
})

test('cursors of both directions are places of one feed', async () => {
  const board = await workspace.board()
  for (let n = 0; n < 4; n += 1) await workspace.card(board)
  const all = idsOf((await feed(board)).body.items)
  const { body } = await feed(board, '?limit=2&before=now')
  expect(idsOf(body.items)).toEqual(all.slice(0, 2))
  const older = (await feed(board, `?before=${body.older_cursor}`)).body
  expect([idsOf(older.items), older.older_cursor]).toEqual([all.slice(2), null])
  // The newest of the page is not before itself; what is after the oldest of it is the newest.
  expect(idsOf((await feed(board, `?before=${body.next_cursor}`)).body.items)).toEqual(all.slice(1))
  expect(idsOf((await feed(board, `?since=${body.older_cursor}`)).body.items)).toEqual(all.slice(0, 1))
})

test('BRD-39: what this endpoint did not issue for this board is no place to read back from', async () => {
  const [board, second] = [await workspace.board(), await workspace.board()]
  const cursor = (await feed(board)).body.next_cursor ?? ''
  const foreign = (await feed(second)).body.next_cursor ?? ''
  const edited = cursor.slice(0, -1) + (cursor.endsWith('A') ? 'B' : 'A')
  for (const before of [foreign, edited, 'NOW', '2026-01-01T00:00:00Z', '', 'x'.repeat(301)]) {
    const { status, body } = await feed(board, `?before=${encodeURIComponent(before)}`)
    expect([before, status, body]).toEqual([
      before,
      400,
      { detail: 'before: must be now or a cursor of this board' },
    ])
  }
  expect(await feed(board, `?before=now&since=${cursor}`)).toMatchObject({
    status: 400,
    body: { detail: 'before: must not be combined with since' },
  })
})

test('the entries of one card, by id and by ref, in both directions', async () => {
  const board = await workspace.board()
  const [card, another] = [await workspace.card(board), await workspace.card(board)]
  const start = (await feed(board)).body.next_cursor
  for (const status of ['in_progress', 'review', 'done']) {
    await workspace.patch(card, { status })
    await workspace.patch(another, { status })
  }
  const own = (await feed(board)).body.items.filter(({ task_id }) => task_id === card.id)
  expect(own.map(({ action }) => action)).toEqual(['task.moved', 'task.moved', 'task.moved', 'task.created'])
  for (const task_id of [card.id, card.ref, card.ref.toLowerCase()]) {
    const { body } = await feed(board, `?task_id=${task_id}`)
    expect(body.items).toEqual(own)
    expect(Object.keys(body)).toEqual(['items', 'next_cursor'])
  }
  expect(await readBack(board, `limit=3&task_id=${card.ref}`)).toEqual(own)
  // After a cursor the oldest come first, so that a burst is read to its end.
  const after = (await feed(board, `?limit=2&since=${start}&task_id=${card.id}`)).body
  expect(idsOf(after.items)).toEqual(idsOf(own.slice(1, 3)))
  expect(idsOf((await feed(board, `?since=${after.next_cursor}&task_id=${card.id}`)).body.items)).toEqual(
    idsOf(own.slice(0, 1)),
  )
})

test('BRD-G18: a card of another board or workspace is as missing as none', async () => {
  const [board, second] = [await workspace.board(), await workspace.board()]
  const elsewhere = await workspace.card(second)
  const foreign = await other.card(await other.board())
  const missing = '00000000-0000-4000-8000-000000000000'
  for (const task_id of [elsewhere.id, elsewhere.ref, foreign.id, foreign.ref, missing, 'NONE-1']) {
    const { status, body } = await feed(board, `?task_id=${task_id}`)
    expect([status, body]).toEqual([400, { detail: 'task_id: no such card of the board' }])
    const outside = await feed(board, `?task_id=${task_id}`, other)
    expect([outside.status, outside.body]).toEqual([404, { detail: 'Board not found' }])
  }
  expect((await feed(board, '?task_id=x')).status).toBe(400)
})
