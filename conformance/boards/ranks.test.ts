import { race } from '@crewhall/testkit/race.ts'
import { roundsFor, scaled } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card, columnOf } from './board-workspace.ts'

const server = useSharedServer('probe')
let workspace: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
})

interface Placed {
  id: string
  rank: string
}
const placesOf = (board: Board): Promise<Placed[]> =>
  server.sql(`select id, rank from boards.cards where board_id = $1 order by rank`, [board.id])
const longestOf = (places: readonly Placed[]) => Math.max(...places.map(({ rank }) => rank.length))

/** As after a card was put right above the same one hundreds of times. */
async function crowd(board: Board, cards: readonly Card[]): Promise<void> {
  const ranks = cards.map((_, at) => `a0${'z'.repeat(60)}${String.fromCharCode(65 + at)}`)
  await server.sql(
    `update boards.cards c set rank = s.rank from unnest($2::uuid[], $3::text[]) as s (id, rank)
     where c.board_id = $1 and c.id = s.id`,
    [board.id, cards.map(({ id }) => id), ranks],
  )
}

const moves = scaled(3000, 600)

test(`K11: ${moves} cards put between the same two leave ranks short and everything in order`, async () => {
  const board = await workspace.board()
  const cards: Card[] = []
  for (let n = 0; n < 12; n += 1) cards.push(await workspace.card(board, { title: `card ${n}` }))
  const [first, last, ...others] = cards as [Card, Card, ...Card[]]
  let order = cards.map(({ id }) => id)
  let longest = 0
  for (let n = 0; n < moves; n += 1) {
    const card = others[n % others.length] as Card
    // Always right above the last of the two; every third time right under the first.
    const place = n % 3 === 2 ? { after_id: first.id } : { before_id: last.id }
    const { status } = await workspace.move(card, place)
    expect(status).toBe(200)
    order = order.filter((id) => id !== card.id)
    order.splice(n % 3 === 2 ? order.indexOf(first.id) + 1 : order.indexOf(last.id), 0, card.id)
    if (n % 50 > 0) continue
    const places = await placesOf(board)
    expect(places.map(({ id }) => id)).toEqual(order)
    longest = Math.max(longest, longestOf(places))
  }
  const places = await placesOf(board)
  expect(places.map(({ id }) => id)).toEqual(order)
  // It was 82 after 600 moves and 402 after 3,000.
  expect(Math.max(longest, longestOf(places))).toBeLessThanOrEqual(40)
})

test('K11: making room changes no version, and the feed tells of it', async () => {
  const board = await workspace.board()
  const cards: Card[] = []
  for (let n = 0; n < 6; n += 1) cards.push(await workspace.card(board, { title: `card ${n}` }))
  await crowd(board, cards)
  const [a, b, , , , f] = cards as [Card, Card, Card, Card, Card, Card]
  expect((await workspace.move(f, { after_id: a.id })).status).toBe(200)
  const places = await placesOf(board)
  expect(longestOf(places)).toBeLessThanOrEqual(20)
  expect(places.map(({ id }) => id)).toEqual([a, f, ...cards.slice(1, 5)].map(({ id }) => id))
  expect((await workspace.read(b)).version).toBe(b.version)
  const feed = await workspace.call<{ items: { action: string; data: unknown }[] }>(
    'GET',
    `/activity/boards/${board.id}`,
  )
  expect(feed.body.items.slice(0, 2).map(({ action, data }) => ({ action, data }))).toEqual([
    { action: 'task.moved', data: { from: 'To do', to: 'To do' } },
    { action: 'column.updated', data: { column: 'To do', fields: ['ranks'] } },
  ])
})

test('K11: a walk over cards goes on where it was when room was made meanwhile', async () => {
  const board = await workspace.board()
  const cards: Card[] = []
  for (let n = 0; n < 8; n += 1) cards.push(await workspace.card(board, { title: `card ${n}` }))
  await crowd(board, cards)
  interface Walk {
    items: Card[]
    next_cursor: string | null
  }
  const page = async (cursor: string) =>
    (
      await workspace.call<Walk>(
        'GET',
        `/boards/${board.id}/tasks?detail=summary&per_page=3&cursor=${cursor}`,
      )
    ).body
  const start = await page('start')
  const seen = start.items.map(({ title }) => title)
  await workspace.move(cards[7] as Card, { before_id: (cards[6] as Card).id })
  for (let cursor = start.next_cursor; cursor !== null; ) {
    const { items, next_cursor } = await page(cursor)
    seen.push(...items.map(({ title }) => title))
    cursor = next_cursor
  }
  expect(seen).toEqual([0, 1, 2, 3, 4, 5, 7, 6].map((n) => `card ${n}`))
})

test('K11: a column that is moved between the same two again and again keeps a short rank', async () => {
  const board = await workspace.board()
  const [left, middle, right] = ['To do', 'In progress', 'Review'].map((name) => columnOf(board, name))
  if (!left || !middle || !right) throw new Error('the board has too few columns')
  for (let n = 0; n < 300; n += 1) {
    const id = n % 2 === 0 ? middle.id : left.id
    const before_id = right.id
    const { status } = await workspace.call('PATCH', `/columns/${id}`, { before_id })
    expect(status).toBe(200)
  }
  const rows = await server.sql<Placed>(
    `select id, rank from boards.columns where board_id = $1 order by rank`,
    [board.id],
  )
  expect(rows.slice(0, 3).map(({ id }) => id)).toEqual([middle.id, left.id, right.id])
  expect(longestOf(rows)).toBeLessThanOrEqual(40)
})

const rounds = roundsFor(200, 0.1)

/** One makes room while another moves a card to the top; the order has to show the move. */
const raceOf = (isTwin: boolean, makeRoom: (board: Board, cards: readonly Card[]) => Promise<unknown>) =>
  race({
    rounds,
    isTwin,
    clients: 2,
    async setup() {
      const board = await workspace.board()
      const cards: Card[] = []
      for (let n = 0; n < 6; n += 1) cards.push(await workspace.card(board, { title: `card ${n}` }))
      await crowd(board, cards)
      return { board, cards }
    },
    async act({ board, cards }, client) {
      if (client === 0) return makeRoom(board, cards)
      const [a, , , , e] = cards as [Card, Card, Card, Card, Card]
      return (await workspace.move(e, { before_id: a.id })).status
    },
    async verdict({ board, cards }, outcomes) {
      const failed = outcomes.filter((each) => each.status === 'rejected' || each.value !== 200)
      if (failed.length > 0) return `answers ${JSON.stringify(failed)}`
      const at = new Map(cards.map(({ id }, place) => [id, place]))
      const order = (await placesOf(board)).map(({ id }) => at.get(id)).join('')
      return ['401523', '401235'].includes(order) ? undefined : `the order is ${order}`
    },
  })

test(`K11: room is made while a card of the same column is moved: nothing is lost, ${rounds} rounds`, async () => {
  const result = await raceOf(false, async (_, cards) => {
    const [, b, , , , f] = cards as [Card, Card, Card, Card, Card, Card]
    return (await workspace.move(f, { after_id: b.id })).status
  })
  expect(result.examples).toEqual([])
})

test('K11: the naive twin, which locks nothing, loses moves', async () => {
  const result = await raceOf(true, async (board) => {
    const path = `/api/v1/probe/naive/columns/${columnOf(board, 'To do').id}/ranks`
    const headers = { authorization: `Bearer ${workspace.token}` }
    return (await server.get(path, { method: 'PUT', headers })).status
  })
  expect(result.wrong).toBeGreaterThan(0)
})
