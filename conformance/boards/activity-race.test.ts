import { scaled } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('probe')
let workspace: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
})

interface Feed {
  items: { id: string }[]
  next_cursor: string
}
const feed = async (board: Board, query: string): Promise<Feed> =>
  (await workspace.call<Feed>('GET', `/activity/boards/${board.id}${query}`)).body

/** Reads page after page until the writers are done and nothing follows. Returns ids in the order seen. */
async function readAll(
  writers: Promise<unknown>,
  start: string,
  next: (cursor: string) => Promise<[string[], string]>,
) {
  let isOver = false
  const over = Promise.allSettled([writers]).then(([outcome]) => {
    isOver = true
    return outcome
  })
  const seen: string[] = []
  let cursor = start
  for (;;) {
    const wasOver = isOver
    const [ids, after] = await next(cursor)
    seen.push(...ids)
    cursor = after
    if (wasOver && ids.length === 0) break
  }
  // A writer that failed ends the test here, not at a time when nobody waits for it.
  const outcome = await over
  if (outcome.status === 'rejected') throw outcome.reason
  return seen
}

const many = 16
const each = scaled(1000, 100)

test(`BRD-38: 16 writers make ${each.toLocaleString('en')} entries each while a reader resumes with a limit of 7: each once, in order`, async () => {
  const board = await workspace.board()
  const cards: Card[] = []
  for (let n = 0; n < many; n += 1) cards.push(await workspace.card(board))
  const start = (await feed(board, '')).next_cursor
  const write = async (card: Card) => {
    for (let n = 0; n < each; n += 1) {
      const { status } = await workspace.call('POST', `/tasks/${card.id}/comments`, { body: `${n}` })
      if (status !== 201) throw new Error(`a comment was answered ${status}`)
    }
  }
  const writers = Promise.all(cards.map(write))
  const seen = await readAll(writers, start, async (cursor) => {
    const { items, next_cursor } = await feed(board, `?limit=7&since=${cursor}`)
    return [items.toReversed().map(({ id }) => id), next_cursor]
  })
  expect(seen).toHaveLength(many * each)
  expect(new Set(seen).size).toBe(many * each)
  expect(seen.map(Number)).toEqual(seen.map(Number).toSorted((a, b) => a - b))
}, 600_000)

test('BRD-38: 1,000 entries of one time are read once each, with a limit of 7', async () => {
  const board = await workspace.board()
  const start = (await feed(board, '')).next_cursor
  await server.sql(`update boards.boards set last_activity_at = now() + interval '1 second' where id = $1`, [
    board.id,
  ])
  const rows = await server.sql<{ id: string }>(
    `insert into boards.activity (brand_id, board_id, created_at, action, actor)
     select brand_id, id, last_activity_at, 'task.moved',
       '{"kind":"system","id":"x","name":"x","on_behalf_of":null}'
     from boards.boards, generate_series(1, 1000) where id = $1 returning id::text`,
    [board.id],
  )
  const seen = await readAll(Promise.resolve(), start, async (cursor) => {
    const { items, next_cursor } = await feed(board, `?limit=7&since=${cursor}`)
    return [items.toReversed().map(({ id }) => id), next_cursor]
  })
  expect(seen).toEqual(rows.map(({ id }) => id))
})

test('a twin whose cursor is the time of the transaction loses entries to a reader that keeps up', async () => {
  const headers = { authorization: `Bearer ${workspace.token}` }
  const path = '/api/v1/probe/naive/activity'
  const write = async () => {
    for (let n = 0; n < 50; n += 1) await (await server.get(path, { method: 'POST', headers })).text()
  }
  const writers = Promise.all(Array.from({ length: many }, write))
  const seen = await readAll(writers, '2000-01-01T00:00:00Z', async (cursor) => {
    const response = await server.get(`${path}?since=${cursor}`, { headers })
    const { items } = (await response.json()) as { items: { id: number; created_at: string }[] }
    return [items.map(({ id }) => String(id)), items.at(-1)?.created_at ?? cursor]
  })
  const lost = many * 50 - new Set(seen).size
  console.log(`naive twin: ${lost} of ${many * 50} entries lost`)
  expect(lost).toBeGreaterThan(0)
})
