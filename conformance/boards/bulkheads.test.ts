import { productLimits } from '@crewhall/testkit/limits.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const cards = scaled(150_000, 2000)
const writers = 30

const server = useServer('product')
let client: pg.Client
beforeAll(async () => {
  client = await server.connection('superuser')
})

/** Eight at a time, two hundred in all; the answers that were not 200. */
async function readsThatFailed(workspace: BoardWorkspace, board: Board): Promise<number[]> {
  const statuses: number[] = []
  const read = async () => {
    while (statuses.length < 200) {
      const at = statuses.push(0) - 1
      statuses[at] = (await workspace.list(board)).status
    }
  }
  await Promise.all(Array.from({ length: 8 }, read))
  return statuses.filter((status) => status !== 200)
}

const busyConnections = async (): Promise<number> => {
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where application_name = 'crewhall-api' and datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]?.n ?? 0
}

test('K3: while the lock of a board is held, its thirty writers fail no read of another workspace', async () => {
  const { url } = await server.start('api', productLimits)
  const limited = {
    sql: server.sql,
    get: (path: string, init?: RequestInit) => fetch(url + path, init),
  }
  const [busy, other] = [await BoardWorkspace.open(limited), await BoardWorkspace.open(limited)]
  const [board, quiet] = [await busy.board(), await other.board()]
  const card = await busy.card(board)
  const holder = await server.connection('superuser')
  await holder.query('begin')
  await holder.query('select from boards.boards where id = $1 for update', [board.id])
  const writes = Array.from({ length: writers }, (_, n) => busy.patch(card, { title: `Writer ${n}` }))
  await waitFor(async () => (await busyConnections()) > 0, 20_000)
  expect(await readsThatFailed(other, quiet)).toEqual([])
  // Whoever waits for the board holds no connection, but for a few.
  expect(await busyConnections()).toBeLessThanOrEqual(3)
  const answers = await Promise.all(writes)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
  expect(answers.every(({ headers }) => headers.has('retry-after'))).toBe(true)
  await holder.end()
  expect((await busy.patch(card, { title: 'Free again' })).status).toBe(200)
})

test('K3: a change of a column of many cards and thirty writers fail no read of another workspace', async () => {
  const [busy, other] = [await BoardWorkspace.open(server), await BoardWorkspace.open(server)]
  const [board, quiet] = [await busy.board(), await other.board()]
  const card: Card = await busy.card(board)
  const column = board.columns.find(({ id }) => id === card.column.id)
  await client.query(
    `insert into boards.cards (brand_id, board_id, column_id, number, title, rank, status, task_type,
       reporter, created_by, updated_by)
     select brand_id, board_id, column_id, 1000 + n, 'Card ' || n, rank || lpad(n::text, 7, '0'), status, task_type,
       reporter, created_by, updated_by
     from boards.cards, generate_series(1, $2) as n where id = $1`,
    [card.id, cards],
  )
  const change = busy.call('PATCH', `/columns/${column?.id}`, { status: 'done' })
  const writes = Array.from({ length: writers }, (_, n) => busy.patch(card, { title: `Writer ${n}` }))
  expect(await readsThatFailed(other, quiet)).toEqual([])
  const statuses = (await Promise.all([change, ...writes])).map(({ status }) => status)
  expect(statuses.filter((status) => ![200, 202, 503].includes(status))).toEqual([])
})

test('K3: writers of one board in number take their turns, and all of them write', async () => {
  const busy = await BoardWorkspace.open(server)
  const board = await busy.board()
  const card = await busy.card(board)
  const writes = await Promise.all([
    ...Array.from({ length: writers }, (_, n) => busy.patch(card, { title: `Writer ${n}` })),
    ...Array.from({ length: writers }, () =>
      busy.call('POST', `/boards/${board.id}/tasks`, { title: 'New' }),
    ),
  ])
  expect(new Set(writes.map(({ status }) => status))).toEqual(new Set([200, 201]))
})
