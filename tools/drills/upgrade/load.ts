import type { TestDatabase } from '@crewhall/testkit/databases.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { call } from '@crewhall/testkit/world/call.ts'
import { accessTo, type DatabaseAccess } from '@crewhall/testkit/world/database-access.ts'
import { newFounder } from '@crewhall/testkit/world/workspace.ts'
import { compareStreams } from '../load/compare-streams.ts'
import { type EventReceiver, type ReceivedEvent, startEventReceiver } from '../load/event-receiver.ts'
import { StreamReader } from '../load/stream-reader.ts'
import { type LoadBoard, LoadClient } from './load-client.ts'

const clientCount = 50
const readerCount = 20

/** People and programs that work while processes are replaced, and what must be true afterwards. */
export class Load {
  readonly #stop = new AbortController()
  readonly #clients: LoadClient[]
  readonly #readers: StreamReader[]
  readonly #work: Promise<unknown>
  readonly #board: LoadBoard
  readonly #access: DatabaseAccess
  readonly #receiver: EventReceiver
  #receivedBefore = 0

  private constructor(
    url: string,
    token: string,
    board: LoadBoard,
    access: DatabaseAccess,
    receiver: EventReceiver,
  ) {
    this.#receiver = receiver
    this.#board = board
    this.#access = access
    this.#readers = Array.from({ length: readerCount }, () => new StreamReader(url, board.id, token))
    this.#clients = Array.from(
      { length: clientCount },
      (_, at) => new LoadClient((path, init) => fetch(`${url}${path}`, init), token, board, `Client ${at}`),
    )
    this.#work = Promise.all(this.#clients.map((client) => client.work(this.#stop.signal)))
  }

  static async begin(url: string, database: TestDatabase): Promise<Load> {
    const access = accessTo(() => database)
    const get = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init)
    const { token, owner } = await newFounder({ get, sql: access.sql })
    const made = await call<LoadBoard>(get, { token }, 'POST', '/api/v1/board/boards', {
      name: 'Rolling',
      key: 'ROLL',
    })
    if (made.status !== 201) throw new Error(`the board was refused: ${made.text}`)
    const receiver = await startEventReceiver()
    const hook = await call(get, owner, 'POST', '/api/v1/webhooks', { url: receiver.url, events: ['*'] })
    if (hook.status !== 201) throw new Error(`the webhook was refused: ${hook.text}`)
    return new Load(url, token, made.body, access, receiver)
  }

  get faults(): string[] {
    return this.#clients.flatMap(({ faults }) => faults)
  }

  summary(): string {
    const calls = this.#clients.reduce((sum, each) => sum + each.calls, 0)
    return `${calls} calls, ${this.faults.length} faults so far`
  }

  /** From here on no worker of the last release is told to stop. */
  passHandOver(): void {
    this.#receivedBefore = this.#receiver.received.length
  }

  goOn(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms))
  }

  async end(): Promise<void> {
    this.#stop.abort()
    await this.#work
  }

  async findLost(): Promise<readonly [number, string]> {
    const rows = await this.#access.sql<{ id: string; title: string }>(
      'select id, title from boards.cards where board_id = $1',
      [this.#board.id],
    )
    const kept = new Map(rows.map(({ id, title }) => [id, title]))
    const acknowledged = this.#clients.flatMap(({ titles }) => [...titles])
    const lost = acknowledged.filter(([id, title]) => kept.get(id) !== title)
    if (lost.length > 0) throw new Error(`${lost.length} of ${acknowledged.length} are lost`)
    if (rows.length !== acknowledged.length)
      throw new Error(`${rows.length} cards are there, ${acknowledged.length} were acknowledged`)
    return [acknowledged.length, `${acknowledged.length} cards, each with its last title`]
  }

  async compareStreams(): Promise<readonly [number, string]> {
    const rows = await this.#access.sql<{ id: string }>(
      'select id::text from boards.activity entry where board_id = $1 order by entry.id',
      [this.#board.id],
    )
    const all = rows.map(({ id }) => id)
    const resumed = this.#readers.reduce((sum, each) => sum + each.resumed, 0)
    const compared = await compareStreams(this.#readers, all)
    if (resumed < readerCount) throw new Error(`streams were hardly interrupted: resumed ${resumed} times`)
    return compared
  }

  /**
   * Of each entry of the feed that came after the webhook, exactly one. Workers of a release that `takesBack` break off what they
   * have sent when they are told to stop: it comes again, under the same id.
   */
  async countDeliveries(takesBack: boolean): Promise<readonly [number, string]> {
    const rows = await this.#access.sql<{ id: string }>(
      `select id::text from boards.activity where board_id = $1 and action <> 'board.created'`,
      [this.#board.id],
    )
    const { received } = this.#receiver
    const count = () => new Set(received.map(({ entry }) => entry)).size
    await waitFor(() => count() >= rows.length, 120_000).catch(() => {})
    await this.#receiver.close()
    await this.#access.close()
    const again = repeated(received)
    const excused = takesBack ? again.filter((at) => at < this.#receivedBefore).length : 0
    const note = `${received.length} deliveries of ${rows.length} entries, ${excused} taken back by the last release`
    const ids = new Set(received.map(({ webhook_id }) => webhook_id)).size
    if (count() !== rows.length || ids !== rows.length || again.length > excused)
      throw new Error(`${note}; ${count()} different ones under ${ids} ids, ${again.length} came again`)
    return [rows.length, note]
  }
}

/** Places in the list of those that had come before. */
function repeated(received: readonly ReceivedEvent[]): number[] {
  const seen = new Set<string>()
  return received.flatMap(({ entry }, at) => {
    if (seen.has(entry)) return [at]
    seen.add(entry)
    return []
  })
}
