import { randomInt } from 'node:crypto'
import { type ResetReason, typesForbidden } from '@crewhall/contracts/boards/stream.ts'
import { type WorkspaceEventType, workspaceEvents } from '@crewhall/contracts/events.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import type { CoalescedReads } from '#platform/events/coalesced-reads.ts'
import type { EventLog } from '#platform/events/event-log.ts'
import type { Semaphore } from '#platform/events/semaphore.ts'
import type { EventStream } from '#platform/http/event-stream.ts'
import { Outage } from '#platform/outage/outage.ts'
import { openBoards } from './board-source.service.ts'
import type { BoardWatch } from './board-watch.service.ts'
import type { StreamEntry, StreamPage, StreamSource } from './stream-source.ts'
import { openWorkspace } from './workspace-source.service.ts'

export interface StreamDeps {
  readonly cursors: Cursors
  readonly watch: BoardWatch
  /** Streams wake up together; they must not take all connections from those who wait for an answer. */
  readonly semaphore: Semaphore
  readonly reads: CoalescedReads
  readonly log: EventLog
}

interface StreamQuery {
  /** Without them: the whole workspace. */
  readonly board_ids?: readonly string[] | undefined
  readonly types?: readonly string[] | undefined
}

interface Order {
  readonly stream: EventStream
  readonly source: StreamSource
  readonly types?: readonly string[] | undefined
  readonly since?: string | undefined
}

/** Each stream has its own delay, so that clients of a stopped process do not reconnect all at once. */
const retryMs = () => randomInt(1000, 5000)
const outageRestMs = 1000

/** What the caller wants to hear of. */
export async function openSource(
  ctx: BrandCtx,
  deps: StreamDeps,
  { board_ids, types = [] }: StreamQuery,
): Promise<StreamSource> {
  // Asked for by name, it is refused; otherwise it is left out.
  if (types.some((type) => !isAllowed(ctx, scopeOf(type)))) throw typesForbidden()
  return board_ids ? openBoards(ctx, deps, board_ids) : openWorkspace(ctx, deps)
}

const scopeOf = (type: string) => workspaceEvents[type as WorkspaceEventType]?.scope

/** A session has no scopes: every member may read the stream. */
function isAllowed({ actor }: BrandCtx, scope: StreamEntry['scope']): boolean {
  if (scope === undefined || actor.kind !== 'person' || actor.scopes === null) return true
  return actor.scopes.includes(scope)
}

/** Sends events from a position on, until the client disconnects or the caller loses access. */
export async function follow(ctx: BrandCtx, deps: StreamDeps, order: Order): Promise<void> {
  const { stream, source, since } = order
  const follower = new Follower(ctx, deps, order)
  // Before the first read, so that nothing falls between the two.
  const stop = source.listen(() => stream.wake())
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
  readonly #source: StreamSource
  readonly #types: ReadonlySet<string> | undefined
  #ctx: BrandCtx
  #position: string
  /** Logged once per outage; retried every second. */
  #isWaiting = false

  constructor(ctx: BrandCtx, deps: StreamDeps, { stream, source, types }: Order) {
    this.#ctx = ctx
    this.#deps = deps
    this.#stream = stream
    this.#source = source
    this.#position = source.now
    this.#types = types && new Set(types)
  }

  async start(since: string | undefined): Promise<void> {
    const { list, about } = this.#source
    const position = since === undefined ? undefined : this.#deps.cursors.read(list, since)
    const isPast = since !== undefined && this.#deps.cursors.isPast(list, since)
    const refused = isPast ? 'expired_cursor' : await this.#refusalOf(position)
    if (position !== undefined && refused === undefined) this.#position = position
    else if (since !== undefined)
      await this.#stream.send({ event: 'reset', data: resets[refused ?? 'unknown_cursor'] })
    const resumed = position !== undefined && refused === undefined
    const data = { ...about, resumed }
    await this.#stream.send({ event: 'ready', id: this.#id(), retry_ms: retryMs(), data })
  }

  async turn(): Promise<void> {
    const page = await this.#read()
    const last = page?.entries.at(-1)
    for (const entry of page?.entries ?? []) await this.#tell(entry)
    if (page) this.#position = page.position
    // Advances the cursor past skipped events, so that a filtered stream does not resume far behind.
    if (last && !this.#isWanted(last)) await this.#stream.send({ id: this.#id() })
    if (this.#stream.is_silent) await this.#stream.send({ comment: 'keepalive' })
    if (page === undefined) await this.#stream.rest(outageRestMs)
    else if (page.is_last) await this.#stream.idle()
  }

  async #refusalOf(position: string | undefined): Promise<ResetReason | undefined> {
    return position === undefined ? undefined : this.#source.refuses(this.#ctx, position)
  }

  /** Undefined while the database is down: the client stays connected and loses nothing. */
  async #read(): Promise<StreamPage | undefined> {
    try {
      const page = await this.#source.read(this.#ctx, this.#position)
      // In this order: a caller who lost access before one of these was written is not admitted now.
      this.#ctx = await this.#deps.semaphore.take(() => this.#stream.admit())
      this.#isWaiting = false
      return page
    } catch (error) {
      if (!(error instanceof Outage)) throw error
      if (!this.#isWaiting) this.#ctx.log.warn({ error }, 'stream paused; retrying')
      this.#isWaiting = true
      return undefined
    }
  }

  async #tell(entry: StreamEntry): Promise<void> {
    this.#position = entry.position
    if (!this.#isWanted(entry)) return
    await this.#stream.send({ id: this.#id(), event: entry.type, data: entry.data })
  }

  #isWanted = ({ type, scope }: StreamEntry): boolean =>
    (this.#types?.has(type) ?? true) && isAllowed(this.#ctx, scope)
  #id = (): string => this.#deps.cursors.issue(this.#source.list, this.#position)
}

const resets: Record<ResetReason, { reason: ResetReason; detail: string }> = {
  unknown_cursor: {
    reason: 'unknown_cursor',
    detail: 'The cursor was not issued for this stream; events since then are not sent',
  },
  expired_cursor: {
    reason: 'expired_cursor',
    detail: 'Events after this cursor have been deleted; the stream continues from now',
  },
}
