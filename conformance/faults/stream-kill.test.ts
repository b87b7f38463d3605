import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, Workspace } from '../boards/board-calls.ts'
import { bearerOf, Listener } from '../boards/stream-calls.ts'
import { useWorkspaces } from '../identity/auth-workspaces.ts'

const server = useServer('product')
const at = useWorkspaces(() => server.database)
let workspace: Workspace
let processes: [ServerProcess, ServerProcess]
beforeAll(async () => {
  workspace = await Workspace.open(server)
  processes = [await server.start('api'), await server.start('api')]
})

const urls = () => processes.map(({ url }) => url)
const changes = 500
const writers = 5
const kills = 3

/**
 * Comes back whenever it is cut off, to either process in turn. A naive one comes without the place it had come
 * to, and a moment later, as browsers do.
 */
class Client {
  readonly seen: string[] = []
  connections = 0
  /** The process that it listens to. */
  turn = 0
  readonly #board: Board
  readonly #moment: (() => Promise<unknown>) | undefined
  #isOn = true
  #listener: Listener | undefined
  readonly over: Promise<void>

  constructor(board: Board, moment?: () => Promise<unknown>) {
    this.#board = board
    this.#moment = moment
    this.over = this.#loop()
  }

  stop(): Promise<void> {
    this.#isOn = false
    this.#listener?.close()
    return this.over
  }

  async #loop(): Promise<void> {
    let place: string | undefined
    for (; this.#isOn; this.turn += 1) {
      if (this.connections > 0) await this.#moment?.()
      const last_event_id = this.#moment ? undefined : place
      const headers = bearerOf(workspace.token)
      try {
        const url = urls()[this.turn % 2] ?? ''
        this.#listener = await Listener.open(url, `board_ids=${this.#board.id}`, { headers, last_event_id })
        this.connections += 1
        await this.#listen(this.#listener)
        place = this.#listener.last_id || place
      } catch {
        // Nobody is there; the other one may be.
      }
    }
  }

  async #listen(listener: Listener): Promise<void> {
    let taken = 0
    await listener.until(({ entries, is_over }) => {
      this.seen.push(...entries.slice(taken).map(({ data }) => String(data.id)))
      taken = entries.length
      return is_over || !this.#isOn
    }, 240_000)
  }
}

/** Writes through both processes in turn until so many changes were answered; others may have been made as well. */
async function write(board: Board, count: number, begin: number): Promise<void> {
  let answered = 0
  for (let n = begin; answered < count; n += 1) {
    const path = `${urls()[n % 2]}/api/v1/board/boards/${board.id}/tasks`
    const headers = { ...bearerOf(workspace.token), 'content-type': 'application/json' }
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
  return rows.map(({ id }) => id)
}

test('a client that keeps its place has every entry once and in order, whichever process is killed; a naive one has not', async () => {
  const board = await workspace.board()
  const careful = new Client(board)
  const naive = new Client(board, () => {
    const before = careful.seen.length
    return waitFor(() => careful.seen.length >= before + 5, 60_000)
  })
  await waitFor(() => careful.connections > 0 && naive.connections > 0, 10_000)

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
  const hasAll = (client: Client) => client.seen.includes(stored.at(-1) ?? '')
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
}, 240_000)
