import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace } from '../../boards/board-workspace.ts'
import { ReturningClient } from './returning-client.ts'

const server = useServer('product')
const at = new World(server)
let workspace: BoardWorkspace
let processes: [ServerProcess, ServerProcess]
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  processes = [await server.start('api'), await server.start('api')]
})

const urls = () => processes.map(({ url }) => url)
const changes = 500
const writers = 5
const kills = 3

/** Writes through both processes in turn until so many changes were answered; others may have been made as well. */
async function write(board: Board, count: number, begin: number): Promise<void> {
  let answered = 0
  for (let n = begin; answered < count; n += 1) {
    const path = `${urls()[n % 2]}/api/v1/board/boards/${board.id}/tasks`
    const headers = { ...bearer(workspace.token), 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ title: `Card ${n}` }) }
    const status = await fetch(path, init).then(
      (response) => response.text().then(() => response.status),
      () => 0,
    )
    if (status === 201) answered += 1
  }
}

const entriesOf = async (board: Board): Promise<string[]> => {
  const rows = await at.sql<{ id: string }>(
    `select id::text as id from boards.activity where board_id = $1 and action <> 'board.created'
     order by created_at, id`,
    [board.id],
  )
  return rows.map(({ id }) => `b${id}`)
}

test('a client that keeps its place has every entry once and in order, whichever process is killed; a naive one has not', async () => {
  const board = await workspace.board()
  const options = { urls, query: `board_ids=${board.id}`, headers: bearer(workspace.token) }
  const careful = new ReturningClient(options)
  const naive = new ReturningClient(options, () => {
    const before = careful.seen.length
    return waitFor(() => careful.seen.length >= before + 5, 60_000)
  })
  await waitFor(() => careful.connections > 0 && naive.connections > 0, 30_000)

  const part = changes / (kills + 1)
  for (let turn = 0; turn <= kills; turn += 1) {
    const before = careful.seen.length
    const writing = Promise.all(Array.from({ length: writers }, (_, n) => write(board, part / writers, n)))
    if (turn < kills) {
      // In the middle of the changes, and the process that it listens to.
      await waitFor(() => careful.seen.length > before + part / 5, 60_000)
      const victim = careful.turn % 2
      await processes[victim]?.kill()
      processes[victim] = await server.start('api')
    }
    await writing
  }
  const stored = await entriesOf(board)
  const hasAll = (client: ReturningClient) => client.seen.includes(stored.at(-1) ?? '')
  await waitFor(() => hasAll(careful), 20_000)
  await waitFor(() => hasAll(naive), 20_000)
  await Promise.all([careful.stop(), naive.stop()])

  console.log(
    `stored ${stored.length}; careful: ${careful.seen.length} over ${careful.connections} connections; ` +
      `naive: ${naive.seen.length} over ${naive.connections}`,
  )
  expect(careful.seen).toEqual(stored)
  expect(stored.length).toBeGreaterThanOrEqual(changes)
  expect(careful.connections).toBeGreaterThan(kills)
  expect(new Set(naive.seen).size).toBeLessThan(stored.length)
})
