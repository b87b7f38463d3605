import { routes } from '@crewhall/contracts/routes.ts'
import { callRoute, saidBy } from '@crewhall/testkit/mcp/route-tools.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Board } from '../boards/board-workspace.ts'
import { ToolWorkspace } from './tool-world.ts'

const server = useSharedServer('product')
let work: ToolWorkspace
beforeAll(async () => {
  work = await ToolWorkspace.open(server)
})

const sizeOf = (value: unknown) => JSON.stringify(value).length

test('the list has at most 12 tools and 16,000 characters by default', async () => {
  const tools = await work.mcp.tools()
  console.log(`tools/list: ${tools.length} tools, ${sizeOf(tools)} characters`)
  expect(tools.length).toBeLessThanOrEqual(12)
  expect(sizeOf(tools)).toBeLessThanOrEqual(16_000)
})

test('the list has at most 30 tools and 48,000 characters with all toolsets', async () => {
  const tools = await work.at('/mcp?toolsets=all').tools()
  console.log(`tools/list with all toolsets: ${tools.length} tools, ${sizeOf(tools)} characters`)
  expect(tools.length).toBeGreaterThan(12)
  expect(tools.length).toBeLessThanOrEqual(30)
  expect(sizeOf(tools)).toBeLessThanOrEqual(48_000)
})

/** A board with so many cards in its first column, by one statement; their titles have 80 characters. */
async function boardOf(count: number): Promise<Board> {
  const board = await work.board()
  const first = await work.card(board, { title: 'x'.repeat(80) })
  const admin = await server.connection('superuser')
  await admin.query('set session_replication_role = replica')
  await admin.query(
    `with made as (
       insert into boards.cards (brand_id, board_id, column_id, number, title, rank, status, task_type, priority, labels,
         description, reporter, created_by, updated_by)
       select brand_id, board_id, column_id, n, rpad('Card ' || n || ' ', 80, 'of the great board '),
         rank || lpad(n::text, 7, '0'), status, task_type, 'high', '{api,web}', repeat('Text of it. ', 40),
         reporter, created_by, updated_by
       from boards.cards, generate_series(2, $2::int) n where id = $1
       returning brand_id, id
     ), texts as (insert into boards.card_texts (brand_id, card_id) select brand_id, id from made)
     update boards.boards set card_count = $2, next_number = $2 + 1 where id = $3`,
    [first.id, count, board.id],
  )
  await admin.query('update boards.columns set card_count = $2 where id = $1', [first.column.id, count])
  await admin.end()
  return board
}

test('100 summary cards with titles of 80 characters take at most 12 KiB of text', async () => {
  const board = await boardOf(100)
  const said = await saidBy(work.mcp, routes.boards.listCards, { board_id: board.id, per_page: 100 })
  const bytes = Buffer.byteLength(said)
  console.log(`100 summary cards: ${bytes} bytes`)
  expect(said.match(/of the great board/g)?.length).toBeGreaterThanOrEqual(99)
  expect(bytes).toBeLessThanOrEqual(12 * 1024)
})

describe('on a board of 5,000 cards', () => {
  let board: Board
  beforeAll(async () => {
    board = await boardOf(5000)
  })

  test('a cut text names the offset that goes on exactly there, up to the limit of a file, and none is above 60,000 characters', async () => {
    const mcp = work.at('/mcp?toolsets=all')
    const seen: number[] = []
    let longest = 0
    let calls = 0
    let last = ''
    for (let offset: number | undefined = 0; offset !== undefined; calls += 1) {
      const fields = { board_id: board.id, detail: 'summary', offset }
      const said: string = await saidBy(mcp, routes.boards.exportBoard, fields)
      last = said
      longest = Math.max(longest, said.length)
      seen.push(...[...said.matchAll(/^- T[A-Z]{2}-(\d+) /gm)].map(([, number]) => Number(number)))
      const next: string | undefined = /repeat this call with offset=(\d+)/.exec(said)?.[1]
      offset = next === undefined ? undefined : Number(next)
    }
    console.log(`an export of 5,000 cards: ${calls} calls, longest text ${longest} characters`)
    expect(calls).toBeGreaterThan(4)
    expect(longest).toBeLessThanOrEqual(60_000)
    expect(longest).toBeGreaterThan(50_000)
    // In the order of the board and without a gap, as far as 256 KiB reach; what is behind them is named.
    expect(seen.length).toBeGreaterThan(2000)
    expect(seen).toEqual(seen.map((_, n) => n + 1))
    expect(last).toContain('the rest is left out: narrow the request')
  })

  test('pages lead to every card once as well, by what each of them says', async () => {
    const seen = new Set<string>()
    let longest = 0
    let following: number | undefined
    let page: number | undefined = 1
    let offset: number | undefined = 0
    while (page !== undefined) {
      const fields = { board_id: board.id, per_page: 100, detail: 'full', page, offset }
      const said: string = await saidBy(work.mcp, routes.boards.listCards, fields)
      longest = Math.max(longest, said.length)
      for (const [ref] of said.matchAll(/^T[A-Z]{2}-\d+/gm)) seen.add(ref)
      // The rest of a page comes first; the header of each page names the next one.
      const rest: string | undefined = /repeat this call with offset=(\d+)/.exec(said)?.[1]
      const next: string | undefined = /repeat this call with page=(\d+)/.exec(said)?.[1]
      if (offset === 0) following = next === undefined ? undefined : Number(next)
      offset = rest === undefined ? 0 : Number(rest)
      if (rest === undefined) page = following
    }
    expect(seen.size).toBe(5000)
    expect(longest).toBeLessThanOrEqual(60_000)
  })

  test.each([
    ['the export', routes.boards.exportBoard, {}],
    ['the feed', routes.boards.listActivity, { limit: 100 }],
    ['the board', routes.boards.getBoard, {}],
    ['the cards as a caller without wishes gets them', routes.boards.listCards, {}],
  ])('%s keeps to 60,000 characters', async (_, route, more) => {
    const { said, verdict } = await callRoute(work.at('/mcp?toolsets=all'), route, {
      board_id: board.id,
      ...more,
    })
    expect([200, 413]).toContain(verdict)
    expect(said.length).toBeLessThanOrEqual(60_000)
  })
})
