import { randomInt } from 'node:crypto'
import { boardNotFound, boardsOfOther } from '@crewhall/contracts/boards/refusals.ts'
import type { ResetReason } from '@crewhall/contracts/boards/stream.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import type { SharedReads } from '#platform/events/shared-reads.ts'
import type { Turns } from '#platform/events/turns.ts'
import type { EventStream } from '#platform/http/event-stream.ts'
import { Outage } from '#platform/outage/outage.ts'
import { hasLostActivity } from '../activity/activity.store.ts'
import { hasBoardAnywhere } from '../boards/boards.store.ts'
import type { BoardWatch } from './board-watch.service.ts'
import { deriveList, derivePlaces, derivePosition, nextPlaces, type Place } from './places.rules.ts'
import * as store from './stream.store.ts'

export interface StreamDeps {
  readonly cursors: Cursors
  readonly watch: BoardWatch
  /** Streams wake up together; they must not take all connections from those who wait for an answer. */
  readonly turns: Turns
  readonly reads: SharedReads
}

interface Order {
  readonly stream: EventStream
  /** In the order in which a cursor names them. */
  readonly board_ids: readonly string[]
  /** Where their feeds ended when the caller asked. */
  readonly now: readonly Place[]
  readonly types?: readonly string[] | undefined
  readonly since?: string | undefined
}

const pageSize = 100
/** Each stream has its own wait, so that those of a process that ends do not come back in one moment. */
const retryMs = () => randomInt(1000, 5000)
const outageRestMs = 1000

/** Where the feeds of the boards end now. */
export async function findPlaces(ctx: BrandCtx, board_ids: readonly string[]): Promise<Place[]> {
  const own = new Map((await store.listBoardPlaces(ctx, board_ids)).map((row) => [row.board_id, row]))
  const strange = board_ids.filter((id) => !own.has(id))
  for (const id of strange) if (await hasBoardAnywhere(ctx, id)) throw boardsOfOther()
  if (strange.length > 0) throw boardNotFound()
  return board_ids.flatMap((board_id) => own.get(board_id) ?? [])
}

/** Tells what happens from a place on, until nobody listens or the caller is no longer let in. */
export async function followBoards(ctx: BrandCtx, deps: StreamDeps, order: Order): Promise<void> {
  const { stream, board_ids, since } = order
  const follower = new Follower(ctx, deps, order)
  // Before the first read, so that nothing falls between the two.
  const stop = deps.watch.listen(ctx.brandId, board_ids, () => stream.wake())
  try {
    await follower.start(stream.last_event_id ?? since)
    while (!stream.is_over) await follower.turn()
  } finally {
    stop()
  }
}

class Follower {
  readonly #deps: StreamDeps
  readonly #stream: EventStream
  readonly #list: string
  readonly #types: ReadonlySet<string> | undefined
  #ctx: BrandCtx
  #places: readonly Place[]
  /** Told once an outage; it is asked again every second. */
  #isWaiting = false

  constructor(ctx: BrandCtx, deps: StreamDeps, { stream, now, types }: Order) {
    this.#ctx = ctx
    this.#deps = deps
    this.#stream = stream
    this.#places = now
    this.#types = types && new Set(types)
    this.#list = deriveList(ctx.brandId, now)
  }

  async start(since: string | undefined): Promise<void> {
    const position = since === undefined ? undefined : this.#deps.cursors.read(this.#list, since)
    const board_ids = this.#places.map(({ board_id }) => board_id)
    const places = position === undefined ? undefined : derivePlaces(board_ids, position)
    const isLost = places !== undefined && (await hasLostActivity(this.#ctx, places))
    const resumed = places !== undefined && !isLost
    if (resumed) this.#places = places
    else if (since !== undefined)
      await this.#stream.send({ event: 'reset', data: isLost ? expiredCursor : unknownCursor })
    const data = { board_ids, resumed }
    await this.#stream.send({ event: 'ready', id: this.#id(), retry_ms: retryMs(), data })
  }

  async turn(): Promise<void> {
    const rows = await this.#read()
    for (const row of rows ?? []) await this.#tell(row)
    const last = rows?.at(-1)
    // Whoever wants only some actions must not come back to a place far behind.
    if (last && !this.#isWanted(last)) await this.#stream.send({ id: this.#id() })
    if (this.#stream.is_silent) await this.#stream.send({ comment: 'keepalive' })
    if (rows === undefined) await this.#stream.rest(outageRestMs)
    else if (rows.length < pageSize) await this.#stream.idle()
  }

  /** Nothing while the database is away: the caller keeps its line and loses nothing. */
  async #read(): Promise<readonly store.StreamRow[] | undefined> {
    const page = {
      board_ids: this.#places.map(({ board_id }) => board_id),
      created_ats: this.#places.map(({ created_at }) => created_at),
      ids: this.#places.map(({ id }) => id),
      limit: pageSize,
    }
    try {
      const key = `${this.#list} ${derivePosition(this.#places)}`
      const rows = await this.#deps.reads.read(key, () => store.listEntriesAfter(this.#ctx, page))
      // In this order: whoever was shut out before one of these was written is not let in now.
      this.#ctx = await this.#deps.turns.take(() => this.#stream.admit())
      this.#isWaiting = false
      return rows
    } catch (error) {
      if (!(error instanceof Outage)) throw error
      if (!this.#isWaiting) this.#ctx.log.warn({ error }, 'a stream waits')
      this.#isWaiting = true
      return undefined
    }
  }

  async #tell(row: store.StreamRow): Promise<void> {
    this.#places = nextPlaces(this.#places, row)
    if (!this.#isWanted(row)) return
    const { id, action, created_at, card_id: task_id, actor, data, board_id } = row
    await this.#stream.send({
      id: this.#id(),
      event: action,
      data: { id, action, created_at, task_id, actor, data, board_id },
    })
  }

  #isWanted = ({ action }: store.StreamRow): boolean => this.#types?.has(action) ?? true
  #id = (): string => this.#deps.cursors.issue(this.#list, derivePosition(this.#places))
}

const unknownCursor: { reason: ResetReason; detail: string } = {
  reason: 'unknown_cursor',
  detail: 'The place was not issued for these boards; what happened since then is not told',
}
const expiredCursor: { reason: ResetReason; detail: string } = {
  reason: 'expired_cursor',
  detail: 'What happened after this place is no longer kept; the stream goes on from now',
}
