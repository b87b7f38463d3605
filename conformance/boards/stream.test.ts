import { createClient } from '@crewhall/client/client.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace } from './board-workspace.ts'
import { Listener, streamPath } from './stream-calls.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let other: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  other = await BoardWorkspace.open(server)
})
const open: Listener[] = []
afterEach(() => {
  for (const listener of open.splice(0)) listener.close()
})

async function listen(boards: readonly Board[], more = '', last_event_id?: string): Promise<Listener> {
  const query = `board_ids=${boards.map(({ id }) => id).join(',')}${more}`
  const headers = bearer(workspace.token)
  const listener = await Listener.open(server.api.url, query, { headers, last_event_id })
  open.push(listener)
  return listener.ready()
}

interface Feed {
  items: { id: string; action: string }[]
  next_cursor: string
}
const feed = async (board: Board, query = ''): Promise<Feed> =>
  (await workspace.call<Feed>('GET', `/activity/boards/${board.id}${query}`)).body
const ids = ({ entries }: Listener) => entries.map(({ data }) => data.id)
const titles = ({ entries }: Listener) => entries.map(({ data }) => (data.data as { title?: string }).title)

test('a change is told as it happens, as the feed has it and with its board', async () => {
  const board = await workspace.board()
  const listener = await listen([board])
  await workspace.card(board)
  await listener.count(1)
  const [newest] = (await feed(board)).items
  expect(listener.entries[0]?.event).toBe('task.created')
  expect(listener.entries[0]?.data).toEqual({ ...newest, board_id: board.id })
})

test('the headers keep caches and proxies from holding events back', async () => {
  const { response } = await listen([await workspace.board()])
  const names = ['content-type', 'cache-control', 'x-accel-buffering']
  expect(names.map((name) => response.headers.get(name))).toEqual([
    'text/event-stream; charset=utf-8',
    'no-store',
    'no',
  ])
})

test('without a cursor it starts from now, and says from where', async () => {
  const board = await workspace.board()
  const [first] = (await listen([board])).told
  const { next_cursor } = await feed(board)
  expect(first).toEqual({
    event: 'ready',
    id: next_cursor,
    data: { board_ids: [board.id], resumed: false },
  })
})

test('after a cut nothing is missing and nothing comes twice', async () => {
  const board = await workspace.board()
  const before = await listen([board])
  await workspace.card(board)
  await before.count(1)
  before.close()
  for (let n = 0; n < 3; n += 1) await workspace.card(board)
  const after = await listen([board], '', before.last_id)
  await workspace.card(board)
  await after.count(4)
  expect(after.told[0]).toMatchObject({ event: 'ready', id: before.last_id, data: { resumed: true } })
  const { items } = await feed(board)
  expect([...ids(before), ...ids(after)]).toEqual(
    items
      .slice(0, 5)
      .map(({ id }) => id)
      .toReversed(),
  )
})

test('more entries than fit on a page are replayed in order', async () => {
  const board = await workspace.board()
  const { next_cursor } = await feed(board)
  const card = await workspace.card(board)
  for (let n = 0; n < 230; n += 1) await workspace.patch(card, { title: `Title ${n}` })
  const listener = await listen([board], `&since=${next_cursor}`)
  await listener.count(231)
  const numbers = ids(listener).map(Number)
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  expect(new Set(numbers).size).toBe(231)
})

test('for one board the id of an event is the cursor of the feed, and the other way round', async () => {
  const board = await workspace.board()
  const { next_cursor } = await feed(board)
  await workspace.card(board, { title: 'one' })
  const listener = await listen([board], `&since=${next_cursor}`)
  await listener.count(1)
  expect(listener.last_id).toBe((await feed(board)).next_cursor)
  await workspace.card(board, { title: 'two' })
  const { items } = await feed(board, `?since=${listener.last_id}`)
  await listener.count(2)
  expect(items.map(({ id }) => id)).toEqual([ids(listener)[1]])
})

test('the header Last-Event-ID wins over since', async () => {
  const board = await workspace.board()
  const { next_cursor: first } = await feed(board)
  await workspace.card(board)
  const { next_cursor: second } = await feed(board)
  const listener = await listen([board], `&since=${first}`, second)
  await workspace.card(board)
  await listener.count(1)
  const [newest] = (await feed(board)).items
  expect(ids(listener)).toEqual([newest?.id])
})

test('several boards share a stream, each in its order, and it resumes on all of them', async () => {
  const [one, two] = [await workspace.board(), await workspace.board()]
  const first = await listen([one, two])
  await workspace.card(one)
  await workspace.card(two)
  await first.count(2)
  first.close()
  await workspace.card(two)
  await workspace.card(one)
  // The boards in another order, and one of them twice, are the same boards.
  const second = await listen([two, one, two], '', first.last_id)
  await second.count(2)
  expect(second.told[0]?.data.resumed).toBe(true)
  for (const board of [one, two]) {
    const told = [...first.entries, ...second.entries].filter(({ data }) => data.board_id === board.id)
    const { items } = await feed(board)
    expect(told.map(({ data }) => data.id)).toEqual(
      items
        .slice(0, 2)
        .map(({ id }) => id)
        .toReversed(),
    )
  }
})

test('only the named actions are told, and the place moves past the others', async () => {
  const board = await workspace.board()
  const listener = await listen([board], '&types=task.commented')
  const card = await workspace.card(board)
  await workspace.call('POST', `/tasks/${card.id}/comments`, { body: 'hello' })
  await workspace.patch(card, { title: 'Another' })
  const { next_cursor } = await feed(board)
  await listener.until(({ last_id }) => last_id === next_cursor)
  expect(listener.entries.map(({ event }) => event)).toEqual(['task.commented'])
})

test.each(['x', 'of another board', 'of two boards', 'edited'])(
  'a place that cannot be taken up (%s) is a reset, and the stream goes on from now',
  async (which) => {
    const [board, second] = [await workspace.board(), await workspace.board()]
    const own = (await feed(board)).next_cursor
    const places: Record<string, string> = {
      x: 'x',
      'of another board': (await feed(second)).next_cursor,
      'of two boards': (await listen([board, second])).last_id,
      edited: own.slice(0, -1) + (own.endsWith('A') ? 'B' : 'A'),
    }
    await workspace.card(board, { title: 'before' })
    const listener = await listen([board], '', places[which])
    await workspace.card(board, { title: 'after' })
    await listener.count(1)
    expect(listener.told.map(({ event }) => event)).toEqual(['reset', 'ready', 'task.created'])
    expect(listener.told[0]?.data.reason).toBe('unknown_cursor')
    expect(titles(listener)).toEqual(['after'])
  },
)

test('a place of another workspace is a reset', async () => {
  const theirs = await other.board()
  const { body } = await other.call<Feed>('GET', `/activity/boards/${theirs.id}`)
  const listener = await listen([await workspace.board()], '', body.next_cursor)
  expect(listener.told.map(({ event }) => event)).toEqual(['reset', 'ready'])
})

const refusedWith = async (query: string, headers: Record<string, string> = bearer(workspace.token)) => {
  const response = await server.get(streamPath(query), { headers })
  return [response.status, ((await response.json()) as { detail: string }).detail]
}

test('a board of another workspace is 403, a board that is none is 404', async () => {
  const [board, theirs] = [await workspace.board(), await other.board()]
  expect(await refusedWith(`board_ids=${board.id},${theirs.id}`)).toEqual([
    403,
    'A named board belongs to another workspace',
  ])
  expect(await refusedWith(`board_ids=${board.id},00000000-0000-4000-8000-000000000000`)).toEqual([
    404,
    'Board not found',
  ])
})

const noBoard = '00000000-0000-4000-8000-000000000000'
test.each([
  ['an empty list of boards', 'board_ids='],
  ['something else than a board', 'board_ids=x'],
  [
    'more than 20 boards',
    `board_ids=${Array.from({ length: 21 }, (_, n) => noBoard.slice(0, -2) + (10 + n)).join(',')}`,
  ],
  ['an unknown action', `board_ids=${noBoard}&types=task.eaten`],
  ['no action', `board_ids=${noBoard}&types=`],
])('%s is 400', async (_, query) => {
  expect((await refusedWith(query))[0]).toBe(400)
})

test('20 boards are not too many', async () => {
  const boards: Board[] = []
  for (let n = 0; n < 20; n += 1) boards.push(await workspace.board())
  const listener = await listen(boards)
  const last = boards.at(-1)
  if (last) await workspace.card(last)
  await listener.count(1)
  const again = await listen(boards, '', listener.last_id)
  expect(again.told[0]?.data.resumed).toBe(true)
})

test('nobody listens without a credential', async () => {
  const board = await workspace.board()
  expect((await refusedWith(`board_ids=${board.id}`, {}))[0]).toBe(401)
})

test('a session listens as a token does', async () => {
  const board = await workspace.board()
  const headers = { cookie: workspace.owner.cookie }
  const listener = await Listener.open(server.api.url, `board_ids=${board.id}`, { headers })
  open.push(listener)
  await workspace.card(board)
  await listener.count(1)
})

test('the typed client hands over the stream as it comes', async () => {
  const board = await workspace.board()
  const client = createClient({ base_url: server.api.url, headers: bearer(workspace.token) })
  const { status, body } = await client.boards.streamEvents({ query: { board_ids: board.id } })
  const reader = body.getReader()
  const { value } = await reader.read()
  expect([status, new TextDecoder().decode(value)]).toEqual([200, expect.stringContaining('event: ready\n')])
  await reader.cancel()
})

test('HEAD answers the headers and ends', async () => {
  const board = await workspace.board()
  const response = await server.get(streamPath(`board_ids=${board.id}`), {
    method: 'HEAD',
    headers: bearer(workspace.token),
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ])
  expect(await response.text()).toBe('')
})
