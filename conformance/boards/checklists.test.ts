import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { useGuests } from '../workspaces/guests/guests-world.ts'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'
import { useSharedBoards } from './shared-boards.ts'

const server = useSharedServer('product')
const world = useGuests(server)
const { sharedBoard } = useSharedBoards(world)
/** The twin loses nearly every round. */
const rounds = roundsFor(100, 0.7)
let workspace: BoardWorkspace
let other: BoardWorkspace
let board: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  other = await BoardWorkspace.open(server)
  board = await workspace.board()
})

interface Item {
  id: string
  text: string
  done: boolean
  done_by: { kind: string; id: string } | null
  done_at: string | null
}
interface Checklist {
  items: Item[]
}
const textsOf = (list: Checklist) => list.items.map(({ text }) => text).join('')
const add = (card: Card, body: object, by = workspace) =>
  by.call<Checklist>('POST', `/tasks/${card.id}/checklist`, body)
const list = async (card: Card) =>
  (await workspace.call<Checklist>('GET', `/tasks/${card.ref}/checklist`)).body
const change = (item: Item | undefined, body: object, by = workspace) =>
  by.call<Item>('PATCH', `/checklist-items/${item?.id}`, body)
const countsOf = async (card: Card) => {
  const { checklist_total, checklist_done, version } = await workspace.read(card)
  return { checklist_total, checklist_done, version }
}

test('items keep their order and who checked them first, and the card counts them with its boxes', async () => {
  const card = await workspace.card(board, { acceptance_criteria: '- [x] box' })
  const added = await add(card, { checklist: ['a', 'b', 'c'] })
  expect(added.status).toBe(201)
  const [a, b, c] = added.body.items
  const checked = await change(a, { done: true })
  expect(checked.body).toMatchObject({
    done: true,
    done_by: { kind: 'member', id: String(workspace.owner.person_id) },
  })
  const member = workspace.as((await workspace.newMember()).token)
  expect((await change(a, { done: true }, member)).body).toEqual(checked.body)
  await change(c, { before_id: a?.id, text: 'C' })
  expect(textsOf(await list(card))).toBe('Cab')
  expect(await countsOf(card)).toEqual({ checklist_total: 4, checklist_done: 2, version: card.version })
  await workspace.patch(card, { acceptance_criteria: '- [ ] one\n- [ ] two' })
  expect(await countsOf(card)).toMatchObject({ checklist_total: 5, checklist_done: 1 })
  await change(a, { done: false })
  const left = await workspace.call<Checklist>('DELETE', `/checklist-items/${b?.id}`)
  expect(left.body.items.map(({ text, done_by, done_at }) => [text, done_by, done_at])).toEqual([
    ['C', null, null],
    ['a', null, null],
  ])
  expect(await countsOf(card)).toMatchObject({ checklist_total: 4, checklist_done: 0 })
  const { body } = await workspace.call<{ items: { action: string; data: unknown }[] }>(
    'GET',
    `/activity/boards/${board.id}?limit=1`,
  )
  expect(body.items[0]).toMatchObject({
    action: 'task.updated',
    data: { fields: ['checklist'], checklist: { total: 2, done: 0 } },
  })
})

test('a new card brings its checklist, alone and in a batch with its children, and an agent is told', async () => {
  const checklist = ['first', 'second']
  const alone = await workspace.card(board, { checklist })
  expect(alone).toMatchObject({ checklist_total: 2, checklist_done: 0 })
  const task = { title: 'Parent', checklist }
  const { body } = await workspace.call<{
    results: { task: { task_id: string }; children?: { task_id: string }[] }[]
  }>('POST', `/boards/${board.id}/tasks:batch`, {
    operations: [
      { op: 'create', task, children: [{ title: 'Child', checklist: ['of the child'] }] },
      { op: 'create', task: { title: 'Plain', checklist: ['plain'] } },
      { op: 'create', task: { title: 'None' } },
    ],
  })
  const made = body.results.flatMap(({ task, children = [] }) => [task, ...children])
  const lists = await Promise.all(
    made.map(({ task_id }) => workspace.call<Checklist>('GET', `/tasks/${task_id}/checklist`)),
  )
  expect(lists.map((each) => textsOf(each.body))).toEqual(['firstsecond', 'of the child', 'plain', ''])
  const context = await workspace.call<{ checklist: unknown }>('GET', `/tasks/${alone.id}/context`)
  expect(context.body.checklist).toEqual([
    { text: 'first', done: false },
    { text: 'second', done: false },
  ])
  const long = Array.from({ length: 11 }, () => ({
    op: 'create',
    task: { title: 'Long', checklist: Array(100).fill('x') },
  }))
  const refused = await workspace.call('POST', `/boards/${board.id}/tasks:batch`, { operations: long })
  expect(refused.status).toBe(400)
})

test('hostile text stays text; limits, archives, strangers and lost claims are refused and change nothing', async () => {
  const card = await workspace.card(board)
  const hostile = `'"); drop table boards.cards; -- <script>\u202e😀`
  const { body } = await add(card, { checklist: [hostile] })
  expect(body.items[0]?.text).toBe(hostile)
  const before = await list(card)
  const item = body.items[0]
  const elsewhere = (await add(await workspace.card(board), { checklist: ['e'] })).body.items[0]
  const refused = [
    [await add(card, { checklist: [' '] }), 400],
    [await add(card, { checklist: [] }), 400],
    [await add(card, { checklist: Array(100).fill('x') }), 409],
    [await add(card, { checklist: ['x'], claim_epoch: 1 }), 409],
    [await add(card, { checklist: ['x'] }, other), 404],
    [await change(item, { done: true }, other), 404],
    [await change(item, { before_id: elsewhere?.id }), 400],
    [await change(item, { after_id: item?.id, text: 'x' }), 400],
    [await change(item, { done: true, claim_epoch: 7 }), 409],
    [await other.call('DELETE', `/checklist-items/${item?.id}`), 404],
    [await workspace.call('DELETE', `/checklist-items/${item?.id}?dry_run=true`), 200],
  ] as const
  expect(refused.map(([answer]) => answer.status)).toEqual(refused.map(([, status]) => status))
  expect(await list(card)).toEqual(before)
  await workspace.call('POST', `/tasks/${card.id}/archive`)
  expect((await change(item, { done: true })).status).toBe(409)
  const key = { 'idempotency-key': `items-${card.id}` }
  const open = await workspace.card(board)
  const twice = () => workspace.call('POST', `/tasks/${open.id}/checklist`, { checklist: ['once'] }, key)
  expect((await twice()).body).toEqual((await twice()).body)
  expect((await list(open)).items).toHaveLength(1)
})

test('a guest who is editor sees the numbers, and reads and writes no item', async () => {
  const { card, session, tasks, brand } = await sharedBoard('editor')
  const path = `/api/v1/board/tasks/${card.id}/checklist`
  await world.call(brand.admin, 'POST', path, { checklist: ['ours'] })
  const comments = await world.call(session, 'GET', `/api/v1/board/tasks/${card.id}/comments`)
  expect(await world.call(session, 'GET', path)).toEqual(comments)
  expect((await world.call(session, 'POST', path, { checklist: ['mine'] })).status).toBe(403)
  const made = await world.call<Card>(session, 'POST', tasks, { title: 'Mine', checklist: ['mine'] })
  expect(made.body.checklist_total).toBe(0)
  expect((await world.call(session, 'GET', `${tasks}/${card.id}`)).body).toMatchObject({ checklist_total: 2 })
})

/** Six callers add an item to a checklist that has room for three. */
const raceOf = (isTwin: boolean, act: (card: Card) => Promise<unknown>) =>
  race({
    rounds,
    isTwin,
    clients: 6,
    setup: () => workspace.card(board, { checklist: Array(97).fill('x') }),
    act,
    async verdict(card) {
      const [row] = await server.sql<{ items: number; counted: number }>(
        `select count(*)::int as items, max(c.items_total) as counted from boards.cards c
         join boards.checklist_items i on i.card_id = c.id where c.id = $1`,
        [card.id],
      )
      return row?.items === 100 && row.counted === 100 ? undefined : JSON.stringify(row)
    },
  })

test(`a checklist never exceeds its limit, and its count is exact, ${rounds} rounds`, async () => {
  const { wrong, examples } = await raceOf(false, (card) => add(card, { checklist: ['y'] }))
  expect(wrong, examples.join('\n')).toBe(0)
  const twin = await raceOf(true, async (card) => {
    const [row] = await server.sql<{ n: number }>(
      'select count(*)::int as n from boards.checklist_items where card_id = $1',
      [card.id],
    )
    const n = row?.n ?? 0
    if (n >= 100) return
    await server.sql(
      `insert into boards.checklist_items (brand_id, card_id, text, place) values ($1, $2, 'y', $3)`,
      [workspace.owner.brand_id, card.id, n + 1],
    )
    await server.sql('update boards.cards set items_total = $2 where id = $1', [card.id, n + 1])
  })
  expect(twin.wrong).toBeGreaterThan(0)
})
