import { scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { verifyData } from '@crewhall/testkit/verify-data.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { type Board, BoardWorkspace, columnOf } from './board-workspace.ts'

const server = useServer('product')
const cards = scaled(150_000, 20_000)

/** Cards that came by no request, because so many requests take too long. */
async function fill(workspace: BoardWorkspace, board: Board, column: string, count: number): Promise<void> {
  const client = await server.connection('superuser')
  try {
    const { brand_id } = workspace.owner
    const actor = JSON.stringify({ kind: 'member', id: '1', name: 'Ann Example', on_behalf_of: null })
    await client.query(
      `insert into boards.cards
         (brand_id, board_id, number, column_id, rank, title, status, task_type, reporter, created_by, updated_by)
       select $1, $2, n, $3, 'g' || lpad(n::text, 7, '0'), 'Card ' || n, 'pending', 'coding', $4, $4, $4
       from generate_series(1, $5::int) n`,
      [brand_id, board.id, column, actor, count],
    )
    await client.query(
      `insert into boards.card_texts (brand_id, card_id) select brand_id, id from boards.cards where board_id = $1`,
      [board.id],
    )
    await client.query('update boards.boards set card_count = $2, next_number = $2 + 1 where id = $1', [
      board.id,
      count,
    ])
    await client.query('update boards.columns set card_count = $2 where id = $1', [column, count])
    await client.query('analyze boards.cards')
  } finally {
    await client.end()
  }
}

test(`K2: ${cards.toLocaleString('en')} cards take over a status and then leave their column, and others write on the board meanwhile`, async () => {
  const workspace = await BoardWorkspace.open(server)
  const board = await workspace.board()
  const column = columnOf(board, 'To do').id
  await fill(workspace, board, column, cards)
  await server.start('worker')
  const columnNow = async () =>
    (await workspace.call<Board>('GET', `/boards/${board.id}`)).body.columns.find(({ id }) => id === column)

  /** Until the change is over, somebody else writes on the board; answers how often, and the slowest in ms. */
  async function writeUntil(isOver: () => Promise<boolean>) {
    const answers: number[] = []
    let slowest = 0
    while (!(await isOver())) {
      const began = performance.now()
      const path = `/boards/${board.id}/tasks`
      answers.push((await workspace.call('POST', path, { title: 'Meanwhile', column: 'Review' })).status)
      slowest = Math.max(slowest, performance.now() - began)
    }
    expect(answers.filter((status) => status !== 201)).toEqual([])
    return { writes: answers.length, slowest_ms: Math.round(slowest) }
  }

  const changed = await workspace.call<{ cards_changing: number }>('PATCH', `/columns/${column}`, {
    status: 'done',
  })
  expect(changed).toMatchObject({ status: 200, body: { cards_changing: cards } })
  const began = performance.now()
  const first = await writeUntil(async () => (await columnNow())?.cards_changing === 0)
  console.log(`status of ${cards}: ${Math.round(performance.now() - began)} ms, meanwhile`, first)

  const to = columnOf(board, 'Done').id
  const removed = await workspace.call('DELETE', `/columns/${column}?move_to=${to}`)
  expect(removed).toMatchObject({ status: 200, body: { removed: false, cards_moving: cards } })
  expect((await workspace.call('DELETE', `/columns/${to}?move_to=${column}`)).status).toBe(409)
  const again = performance.now()
  const second = await writeUntil(async () => (await columnNow()) === undefined)
  console.log(`removal with ${cards}: ${Math.round(performance.now() - again)} ms, meanwhile`, second)

  expect(Math.min(first.writes, second.writes)).toBeGreaterThan(20)
  await waitFor(async () => (await verifyData(server.database.url)).code === 0, 60_000)
}, 600_000)
