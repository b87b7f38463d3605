import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

// Reading a board from card to card instead of by page numbers, with `cursor`.

const server = useSharedServer('product')
let workspace: BoardWorkspace
let other: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  other = await BoardWorkspace.open(server)
})

interface Step {
  items: Card[]
  total: number
  per_page: number
  next_cursor: string | null
}
const step = (board: Board, cursor: string, more = '', by = workspace) =>
  by.call<Step>('GET', `/boards/${board.id}/tasks?detail=summary&cursor=${cursor}${more}`)

/** Card by card to the end; `between` happens after each step. */
async function walk(
  board: Board,
  per_page: number,
  between: (seen: Card[]) => Promise<unknown> = async () => {},
) {
  const seen: Card[] = []
  let cursor: string | null = 'start'
  while (cursor !== null) {
    const { status, body }: { status: number; body: Step } = await step(
      board,
      cursor,
      `&per_page=${per_page}`,
    )
    if (status !== 200) throw new Error(`a step was answered ${status}: ${JSON.stringify(body)}`)
    seen.push(...body.items)
    cursor = body.next_cursor
    await between(seen)
  }
  return seen
}

const columns = ['To do', 'Done', 'In progress', 'Review']
async function filled(count: number, names: readonly string[] = columns): Promise<Board> {
  const board = await workspace.board()
  for (let n = 0; n < count; n += 1) {
    await workspace.card(board, { title: `Card ${n}`, column: names[n % names.length] })
  }
  return board
}
const idsOf = (cards: readonly Card[]) => cards.map(({ id }) => id)

test.each([1, 2, 3, 5, 7, 12, 100])(
  'steps of %i give the cards of the pages, in their order, each once',
  async (per_page) => {
    const board = await filled(12)
    const { body } = await workspace.list(board, '?detail=summary&per_page=100')
    expect(idsOf(await walk(board, per_page))).toEqual(idsOf(body.items))
  },
)

test('columns that are empty, also the first and the last, are stepped over', async () => {
  const board = await filled(7, ['In progress'])
  const { body } = await workspace.list(board, '?detail=summary')
  expect(idsOf(await walk(board, 2))).toEqual(idsOf(body.items))
})

test('a board without cards ends at once', async () => {
  const { body } = await step(await workspace.board(), 'start')
  expect(body).toEqual({ items: [], total: 0, page: null, per_page: 50, next_cursor: null })
})

test.each(['summary', 'standard', 'full'])(
  'a step in the detail %s shows the cards as pages do',
  async (detail) => {
    const board = await filled(5)
    const path = `/boards/${board.id}/tasks?detail=${detail}`
    const [paged, stepped] = [
      await workspace.call<Step>('GET', path),
      await workspace.call<Step>('GET', `${path}&cursor=start`),
    ]
    expect(JSON.stringify(stepped.body.items)).toBe(JSON.stringify(paged.body.items))
    expect(Object.keys(stepped.body)).toEqual(['items', 'total', 'page', 'per_page', 'next_cursor'])
  },
)

test('without a detail a step is standard, as a page is', async () => {
  const board = await filled(1)
  const [plain, standard] = await Promise.all(
    ['?cursor=start', '?cursor=start&detail=standard'].map((query) => workspace.list(board, query)),
  )
  expect(plain?.text).toBe(standard?.text)
})

test('a full step names the next one in its Link header too', async () => {
  const board = await filled(3)
  const { headers, body } = await step(board, 'start', '&per_page=2')
  expect(headers.get('link')).toContain(`cursor=${body.next_cursor}`)
  expect(headers.get('link')).toContain('rel="next"')
})

test('every card that stays in its place comes exactly once while others are added, moved and put away', async () => {
  const board = await filled(24)
  const { items } = (await workspace.list(board, '?detail=summary')).body
  // Every fourth card is on the move during the reading; the rest stays.
  const restless = items.filter((_, at) => at % 4 === 1)
  const staying = items.filter((_, at) => at % 4 !== 1)
  let round = 0
  const seen = await walk(board, 3, async () => {
    const card = restless[round % restless.length]
    round += 1
    await workspace.card(board, { title: 'New', column: columns[round % 4] })
    if (!card) return
    if (round % 3 === 0) await workspace.call('POST', `/tasks/${card.id}/archive`)
    else await workspace.move(card, { column: columns[round % 4], before_id: undefined })
  })
  expect(round).toBeGreaterThan(8)
  const counts = staying.map(({ id }) => seen.filter((card) => card.id === id).length)
  expect(counts).toEqual(staying.map(() => 1))
  const order = idsOf(seen).filter((id) => staying.some((card) => card.id === id))
  expect(order).toEqual(idsOf(staying))
})

test('the reading goes on where it was when the card it stands at is moved away', async () => {
  const board = await filled(6, ['To do'])
  const { items } = (await workspace.list(board, '?detail=summary')).body
  const { body } = await step(board, 'start', '&per_page=3')
  const [, , last] = items
  if (last) await workspace.move(last, { column: 'Done' })
  const rest = await step(board, body.next_cursor ?? '', '&per_page=2')
  expect(idsOf(rest.body.items)).toEqual(idsOf(items.slice(3, 5)))
})

const refusal = { detail: 'cursor: must be start or a next_cursor of this board' }

test.each(['', 'Start', 'begin', '1', 'a.b', 'x'.repeat(1001)])('the cursor %.20j is 400', async (cursor) => {
  const { status, body } = await step(await filled(1), cursor)
  expect({ status, body }).toEqual({ status: 400, body: refusal })
})

test('a cursor in which one character was changed is 400', async () => {
  const board = await filled(2)
  const { body } = await step(board, 'start', '&per_page=1')
  const cursor = body.next_cursor ?? ''
  for (const at of [0, 10, cursor.indexOf('.') + 1, cursor.length - 2]) {
    const edited = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`
    expect(await step(board, edited)).toMatchObject({ status: 400, body: refusal })
  }
})

test('a cursor of another board of the workspace is 400', async () => {
  const [one, two] = [await filled(2), await filled(2)]
  const { body } = await step(one, 'start', '&per_page=1')
  expect(await step(two, body.next_cursor ?? '')).toMatchObject({ status: 400, body: refusal })
})

test('a cursor of the activity feed is 400', async () => {
  const board = await filled(1)
  const feed = await workspace.call<{ next_cursor: string }>('GET', `/activity/boards/${board.id}`)
  expect(await step(board, feed.body.next_cursor)).toMatchObject({ status: 400, body: refusal })
})

test('a cursor opens nothing in another workspace: its board is as foreign as without', async () => {
  const board = await filled(2)
  const { body } = await step(board, 'start', '&per_page=1')
  const bare = await other.call('GET', `/boards/${board.id}/tasks`)
  expect(bare.status).toBe(403)
  for (const cursor of ['start', body.next_cursor ?? '', 'nonsense']) {
    expect(await step(board, cursor, '', other)).toMatchObject({ status: 403, text: bare.text })
  }
})

test('a cursor beside a page number is 400', async () => {
  const { status, body } = await step(await filled(1), 'start', '&page=1')
  expect({ status, body }).toEqual({
    status: 400,
    body: { detail: 'cursor: must not be combined with page' },
  })
})

test('an answer to a call without a cursor has no next_cursor', async () => {
  const { body } = await workspace.list(await filled(2), '?per_page=1')
  expect(Object.keys(body)).toEqual(['items', 'total', 'page', 'per_page'])
})
