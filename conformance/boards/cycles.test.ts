import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useServer('product')
let workspace: BoardWorkspace
let other: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  other = await BoardWorkspace.open(server)
})

interface Amount {
  cards: number
  estimate: number
}
interface Cycle {
  id: string
  name: string
  status: string
  cards_changing: number
  scope: {
    planned: Amount | null
    added: Amount
    total: Amount
    done: Amount
    open: Amount
    removed_cards: number
    unestimated: number
  }
}
const days = (week: number) => ({
  starts_on: new Date(Date.UTC(2026, 0, 5 + 7 * week)).toISOString().slice(0, 10),
  ends_on: new Date(Date.UTC(2026, 0, 11 + 7 * week)).toISOString().slice(0, 10),
})
const create = (board: Board, week: number, more: object = {}) =>
  workspace.call<Cycle>('POST', `/boards/${board.id}/cycles`, {
    name: `Week ${week}`,
    ...days(week),
    ...more,
  })
const read = async (cycle: Cycle) => (await workspace.call<Cycle>('GET', `/cycles/${cycle.id}`)).body
const put = (cycle: Cycle, cards: readonly Card[], by = workspace) =>
  by.call<Cycle>('POST', `/cycles/${cycle.id}/tasks`, { task_ids: cards.map(({ id }) => id) })
const act = (cycle: Cycle, verb: string, body?: object) =>
  workspace.call<Cycle>('POST', `/cycles/${cycle.id}:${verb}`, body)
const cardsOf = async (cycle: Cycle) =>
  (await workspace.call<{ items: Card[] }>('GET', `/cycles/${cycle.id}/tasks`)).body.items
    .map(({ id }) => id)
    .sort()
const idsOf = (cards: readonly (Card | undefined)[]) => cards.map((card) => card?.id).sort()
const some = (board: Board, estimates: readonly (number | null)[]) =>
  Promise.all(estimates.map((estimate) => workspace.card(board, { estimate })))

/** What a recount says about all cycles, as in `derived/`. */
const wrong = () =>
  server.sql(
    `select y.name from boards.cycles y left join lateral (
       select count(*) as n, count(*) filter (where status = 'done') as done,
         coalesce(sum(estimate::numeric), 0) as sum
       from boards.cards c where c.brand_id = y.brand_id and c.cycle_id = y.id and c.archived_at is null
         and c.status <> 'canceled') c on true
     where (y.cards, y.cards_done, y.estimate) is distinct from (c.n, c.done, c.sum)`,
  )

test('the scope at the start is compared with what was added, taken out, done and is open', async () => {
  const board = await workspace.board()
  await workspace.call('POST', `/boards/${board.id}/columns`, { name: 'Canceled', status: 'canceled' })
  const { status, body: cycle } = await create(board, 0, { goal: 'It turns.' })
  expect([status, cycle.status, cycle.scope.planned]).toEqual([201, 'planned', null])
  const cards = await some(board, [1, 0.1, 0.2, null, 5])
  const [one, tenth, fifth, unsized, five] = cards
  expect((await put(cycle, cards.slice(0, 4))).body.scope.total).toEqual({ cards: 4, estimate: 1.3 })
  const started = (await act(cycle, 'start')).body
  expect([started.status, started.scope.planned]).toEqual(['active', { cards: 4, estimate: 1.3 }])
  await put(cycle, [five as Card])
  await workspace.patch(one as Card, { status: 'done' })
  await workspace.patch(tenth as Card, { status: 'canceled' })
  await workspace.patch(unsized as Card, { estimate: 2 })
  await workspace.call('DELETE', `/tasks/${fifth?.ref}/cycle`)
  const { scope } = await read(cycle)
  expect(scope).toEqual({
    planned: { cards: 4, estimate: 1.3 },
    added: { cards: 1, estimate: 5 },
    removed_cards: 2,
    total: { cards: 3, estimate: 8 },
    done: { cards: 1, estimate: 1 },
    open: { cards: 2, estimate: 7 },
    unestimated: 0,
  })
  await workspace.call('POST', `/tasks/${five?.id}/archive`)
  expect((await read(cycle)).scope).toMatchObject({ added: { cards: 0 }, total: { cards: 2, estimate: 3 } })
  await workspace.call('POST', `/tasks/${five?.id}/restore`)
  expect((await read(cycle)).scope).toEqual(scope)
  const of = await workspace.call<{ cycle: Cycle }>('GET', `/tasks/${one?.ref}/cycle`)
  expect(of.body.cycle.id).toBe(cycle.id)
  expect(await workspace.read(five as Card)).toMatchObject({ estimate: 5 })
  expect(await wrong()).toEqual([])
})

test('days do not overlap, one cycle is active, and one with cards stays', async () => {
  const board = await workspace.board()
  const { body: first } = await create(board, 1)
  const { body: second } = await create(board, 2)
  expect((await create(board, 1)).status).toBe(409)
  expect((await create(board, 3, { starts_on: days(2).ends_on })).status).toBe(409)
  expect((await create(board, 3, { starts_on: days(5).ends_on })).status).toBe(400)
  expect((await create(board, 3, { starts_on: '2026-02-30' })).status).toBe(400)
  expect((await workspace.call('PATCH', `/cycles/${first.id}`, { ends_on: days(2).starts_on })).status).toBe(
    409,
  )
  expect(
    (await workspace.call('PATCH', `/cycles/${first.id}`, { starts_on: days(0).starts_on })).status,
  ).toBe(200)
  expect((await act(first, 'close')).status).toBe(409)
  expect((await act(first, 'start')).status).toBe(200)
  expect((await act(first, 'start')).body.status).toBe('active')
  expect((await act(second, 'start')).status).toBe(409)
  const [card] = await some(board, [1])
  await put(second, [card as Card])
  expect((await workspace.call('DELETE', `/cycles/${second.id}`)).status).toBe(409)
  await put(first, [card as Card])
  expect((await workspace.call('DELETE', `/cycles/${second.id}`)).body).toEqual({ removed: true })
  const elsewhere = await workspace.card(await workspace.board())
  expect((await put(first, [elsewhere])).status).toBe(409)
  expect((await put(first, [card as Card], other)).status).toBe(404)
  expect((await put(first, [await other.card(await other.board())])).status).toBe(404)
  expect(await cardsOf(first)).toEqual([card?.id])
})

test('open cards are carried to the next cycle, finished ones stay, and the sums of the end are kept', async () => {
  const board = await workspace.board()
  const [{ body: now }, { body: next }, { body: later }] = [
    await create(board, 0),
    await create(board, 1),
    await create(board, 2),
  ]
  const cards = await some(board, [1, 2, 3])
  await put(now, cards)
  await act(now, 'start')
  await workspace.patch(cards[0] as Card, { status: 'done' })
  expect((await act(now, 'close', { carry_to: now.id })).status).toBe(400)
  const closed = await act(now, 'close')
  expect(closed.body).toMatchObject({ status: 'closed', cards_changing: 0 })
  expect(closed.body.scope).toMatchObject({
    total: { cards: 3, estimate: 6 },
    open: { cards: 2, estimate: 5 },
  })
  expect([await cardsOf(now), await cardsOf(next)]).toEqual([idsOf(cards.slice(0, 1)), idsOf(cards.slice(1))])
  expect((await act(now, 'close')).body).toEqual(closed.body)
  const found = async (cycle: Cycle, by = workspace) =>
    (await by.call<{ items: Card[] }>('GET', `/tasks:search?cycle=${cycle.id}&count_by=status`)).body.items
  expect([idsOf(await found(now)), idsOf(await found(next))]).toEqual([
    await cardsOf(now),
    await cardsOf(next),
  ])
  expect(await other.call('GET', `/tasks:search?cycle=${now.id}`)).toMatchObject({
    status: 400,
    body: { detail: 'cycle: no such cycle of the workspace' },
  })
  expect((await put(now, cards)).status).toBe(409)
  await act(next, 'start')
  expect((await read(next)).scope.planned).toEqual({ cards: 2, estimate: 5 })
  await act(next, 'close', { carry_to: null })
  expect([await cardsOf(next), await cardsOf(later)]).toEqual([[], []])
  expect(await wrong()).toEqual([])
})

test('more than 200 open cards are carried by a job, each once', async () => {
  const board = await workspace.board()
  const [{ body: now }, { body: next }] = [await create(board, 0), await create(board, 1)]
  const create100 = () =>
    workspace.call<{ results: { body: { task_id: string } }[] }>('POST', `/boards/${board.id}/tasks:batch`, {
      atomic: true,
      operations: Array.from({ length: 100 }, (_, n) => ({
        op: 'create',
        task: { title: `T${n}`, estimate: 0.1 },
      })),
    })
  for (let turn = 0; turn < 3; turn += 1) await create100()
  await server.sql('update boards.cards set cycle_id = $2 where board_id = $1', [board.id, now.id])
  await act(now, 'start')
  const closed = (await act(now, 'close')).body
  expect(closed.cards_changing).toBe(100)
  await server.start('worker')
  await waitFor(async () => (await read(now)).cards_changing === 0, 30_000)
  expect((await read(next)).scope.total).toEqual({ cards: 300, estimate: 30 })
  expect(await wrong()).toEqual([])
})

/** The twin loses nearly every round. */
const rounds = roundsFor(30, 0.9)

const overlaps = async (board: Board) => {
  const [row] = await server.sql<{ n: number }>(
    `select count(*)::int as n from boards.cycles a join boards.cycles b on b.board_id = a.board_id and b.id > a.id
       and b.starts_on <= a.ends_on and b.ends_on >= a.starts_on where a.board_id = $1`,
    [board.id],
  )
  return row?.n === 0 ? undefined : `${row?.n} cycles overlap`
}
const planning = { rounds, clients: 3, setup: () => workspace.board(), verdict: overlaps }

test('of those who plan overlapping days at once, one is let in', async () => {
  const won = await race({
    ...planning,
    act: (board, client) => create(board, 0, { ends_on: days(client).ends_on }),
  })
  expect(won).toMatchObject({ rounds, wrong: 0 })
})

test('the same race is lost by whoever looks without the lock of the board', async () => {
  const lost = await race({
    ...planning,
    isTwin: true,
    async act(board, client) {
      const to = days(client).ends_on
      const found = await server.sql(
        'select from boards.cycles where board_id = $1 and starts_on <= $2::date and ends_on >= $3::date',
        [board.id, to, days(0).starts_on],
      )
      if (found.length > 0) return
      await server.sql(
        `insert into boards.cycles (brand_id, board_id, name, starts_on, ends_on) values ($1, $2, 'Twin', $3, $4)`,
        [workspace.owner.brand_id, board.id, days(0).starts_on, to],
      )
    },
  })
  expect(lost.wrong).toBeGreaterThan(0)
})

test('sums hold while many change the same cards', async () => {
  const board = await workspace.board()
  const cards = await some(board, [0.1, 0.2, 0.3, 0.4, 0.7, null])
  const cycles = [(await create(board, 0)).body, (await create(board, 1)).body]
  for (let turn = 0; turn < 4; turn += 1)
    await Promise.all([
      put(cycles[turn % 2] as Cycle, cards),
      ...cards.map((card, n) =>
        workspace.patch(card, { estimate: (turn + n) / 10, status: (turn + n) % 3 ? 'done' : 'pending' }),
      ),
    ])
  expect(await wrong()).toEqual([])
  // Moved once more, the other one has nothing left, to the last decimal.
  await put(cycles[0] as Cycle, cards)
  expect((await read(cycles[1] as Cycle)).scope.total).toEqual({ cards: 0, estimate: 0 })
})
