import { newToken } from '@crewhall/testkit/people.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('product')
let client: pg.Client
let workspace: BoardWorkspace
beforeAll(async () => {
  client = await server.connection('superuser')
  workspace = await BoardWorkspace.open(server)
})

interface Made {
  number: number
  title: string
  made_by: string
}
const cardsOf = async (board: Board): Promise<Made[]> =>
  (
    await client.query<Made>(
      `select number, title, xmin::text as made_by from boards.cards where board_id = $1 order by number`,
      [board.id],
    )
  ).rows

const create = (caller: BoardWorkspace, board: Board, card: object) =>
  caller.call<Card>('POST', `/boards/${board.id}/tasks`, card)

/** One has to wait for the lock of the board, so that the others come while it is under way. */
async function atOnce<T>(
  board: Board,
  first: () => Promise<T>,
  others: () => Promise<T>[],
  meanwhile: () => unknown = () => {},
): Promise<T[]> {
  const holder = await server.connection('superuser')
  try {
    await holder.query('begin')
    await holder.query('select 1 from boards.boards where id = $1 for update', [board.id])
    const sent = [first()]
    await waitFor(async () => {
      const { rows } = await client.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows.length > 0
    }, 30_000)
    sent.push(...others())
    await arrived(board)
    await meanwhile()
    await arrived(board)
    await holder.query('commit')
    return await Promise.all(sent)
  } finally {
    await holder.end()
  }
}
/** What was sent before these has arrived when they are answered. */
async function arrived(board: Board): Promise<void> {
  for (let n = 0; n < 5; n += 1) await workspace.call('GET', `/boards/${board.id}`)
}
const titles = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `card ${from + at}`)

test('K6: cards that are asked for at once share transactions, with numbers, feed and deliveries as if made one by one', async () => {
  const board = await workspace.board()
  await client.query(
    `insert into webhooks.endpoints (brand_id, id, url, events, secret)
     values ($1, gen_random_uuid(), 'https://hooks.example.test', '{task.*}', '')`,
    [workspace.owner.brand_id],
  )
  const answers = await atOnce(
    board,
    () => create(workspace, board, { title: 'card 0' }),
    () => titles(1, 24).map((title) => create(workspace, board, { title })),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(201))
  const cards = await cardsOf(board)
  // Every answer is that of its own card.
  for (const { body } of answers) {
    const row = cards.find(({ number }) => body.ref === `${board.key}-${number}`)
    expect(row?.title).toBe(body.title)
    expect(await workspace.read(body)).toEqual(body)
  }
  expect(cards.map(({ number }) => number)).toEqual(Array.from({ length: 24 }, (_, at) => at + 1))
  // 24 before.
  expect(new Set(cards.map(({ made_by }) => made_by)).size).toBeLessThanOrEqual(6)
  const list = (await workspace.list(board, '?detail=summary&per_page=100')).body
  expect(list.items.map(({ ref }) => ref)).toEqual(cards.map(({ number }) => `${board.key}-${number}`))
  const { rows: feed } = await client.query<{ ref: string; created_at: Date; seq: string }>(
    `select data->>'ref' as ref, created_at::text, id::text as seq from boards.activity
     where board_id = $1 and action = 'task.created' order by created_at, id`,
    [board.id],
  )
  expect(feed.map(({ ref }) => ref)).toEqual(cards.map(({ number }) => `${board.key}-${number}`))
  expect(new Set(feed.map(({ created_at }) => created_at)).size).toBe(24)
  const { rows: told } = await client.query<{ seq: string }>(
    `select payload::jsonb->'data'->>'id' as seq from webhooks.deliveries where board_id = $1 order by seq`,
    [board.id],
  )
  expect(new Set(told.map(({ seq }) => seq))).toEqual(new Set(feed.map(({ seq }) => seq)))
  expect(told).toHaveLength(24)
})

test('K6: of cards that are asked for at once the impossible ones are refused, and no number is lost', async () => {
  const board = await workspace.board()
  const answers = await atOnce(
    board,
    () => create(workspace, board, { title: 'first' }),
    () => [
      create(workspace, board, { title: 'one', client_ref: 'same' }),
      create(workspace, board, { title: 'nowhere', column: 'No such column' }),
      create(workspace, board, { title: 'two', client_ref: 'same' }),
      create(workspace, board, { title: 'last' }),
    ],
  )
  const statuses = answers.map(({ status }) => status)
  expect(statuses[0]).toBe(201)
  expect(statuses[2]).toBe((await create(workspace, board, { title: 'x', column: 'No such column' })).status)
  expect(statuses[2]).toBeGreaterThanOrEqual(400)
  expect([statuses[1], statuses[3]].toSorted()).toEqual([201, 409])
  expect(statuses[4]).toBe(201)
  expect((await cardsOf(board)).map(({ number }) => number)).toEqual([1, 2, 3])
})

test('K6: a token that ends while its card waits makes none in the company of others', async () => {
  const board = await workspace.board()
  const get = (path: string, init?: RequestInit) => server.get(path, init)
  const { token, id } = await newToken(get, workspace.owner, [])
  const other = workspace.as(token)
  // The process has seen it, and remembers.
  expect((await other.list(board)).status).toBe(200)
  const ends = async () => {
    const { brand_id } = workspace.owner
    const headers = { cookie: workspace.owner.cookie }
    const { status } = await get(`/api/v1/brands/${brand_id}/tokens/${id}`, { method: 'DELETE', headers })
    expect(status).toBeLessThan(300)
  }
  const answers = await atOnce(
    board,
    () => create(workspace, board, { title: 'first' }),
    () => [
      create(other, board, { title: 'of another' }),
      ...titles(0, 5).map((title) => create(workspace, board, { title })),
    ],
    ends,
  )
  expect(answers.map(({ status }) => status)).toEqual([201, 401, ...Array(5).fill(201)])
  expect((await cardsOf(board)).map(({ title }) => title)).not.toContain('of another')
})

test('K6: whose caller hangs up while its card waits makes none, and the others do', async () => {
  const board = await workspace.board()
  const gone = new AbortController()
  const create = (title: string, signal?: AbortSignal) =>
    server
      .get(`/api/v1/board/boards/${board.id}/tasks`, {
        method: 'POST',
        ...(signal ? { signal } : {}),
        headers: { authorization: `Bearer ${workspace.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ title }),
      })
      .then(
        ({ status }) => status,
        () => 'gone',
      )
  const answers = await atOnce(
    board,
    () => create('first'),
    () => [create('of nobody', gone.signal), ...titles(0, 3).map((title) => create(title))],
    () => gone.abort(),
  )
  expect(answers).toEqual([201, 'gone', 201, 201, 201])
  expect((await cardsOf(board)).map(({ title }) => title)).toEqual(['first', ...titles(0, 3)])
})
