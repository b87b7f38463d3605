import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { call, type Get } from '@crewhall/testkit/world/call.ts'
import { type Founder, newFounder } from '@crewhall/testkit/world/workspace.ts'
import { compareStreams } from '../load/compare-streams.ts'
import { type EventReceiver, startEventReceiver } from '../load/event-receiver.ts'
import type { Fleet } from '../load/fleet.ts'
import { StreamReader } from '../load/stream-reader.ts'
import type { HaCluster } from './ha-cluster.ts'
import { Revocation } from './revocation.ts'
import { type Acknowledged, SteadyWriter } from './steady-writer.ts'

const writerCount = 8
const readerCount = 6
/** Around an outage: what was sent when it began, and what was waiting for its end. */
const beforeMs = 2000
const afterMs = 5000

export interface Outage {
  readonly from: number
  readonly to: number
  readonly gap_ms: number
  readonly revocation: Revocation
}

type Found = Promise<readonly [number, string]>

/** People and programs that work while the database changes hands, and what must be true afterwards. */
export class HaLoad {
  readonly #cluster: HaCluster
  readonly #fleet: Fleet
  readonly founder: Founder
  readonly #board: string
  readonly #receiver: EventReceiver
  readonly #stop = new AbortController()
  readonly #writers: readonly SteadyWriter[]
  readonly #readers: readonly StreamReader[]
  /** Jobs whose enqueueing was acknowledged, and those of which nobody knows. */
  readonly #marks = { acknowledged: [] as string[], unknown: [] as string[] }
  readonly #outages: Outage[] = []
  readonly #work: Promise<unknown>

  private constructor(
    cluster: HaCluster,
    fleet: Fleet,
    founder: Founder,
    board: string,
    receiver: EventReceiver,
  ) {
    this.#cluster = cluster
    this.#fleet = fleet
    this.founder = founder
    this.#board = board
    this.#receiver = receiver
    const { url } = fleet.balancer
    this.#readers = Array.from({ length: readerCount }, () => new StreamReader(url, board, founder.token))
    this.#writers = Array.from(
      { length: writerCount },
      (_, at) => new SteadyWriter(founder.server.get, founder.token, board, `Writer ${at}`),
    )
    const { signal } = this.#stop
    this.#work = Promise.all([...this.#writers.map((each) => each.work(signal)), this.#mark(signal)])
  }

  static async begin(cluster: HaCluster, fleet: Fleet): Promise<HaLoad> {
    const get: Get = (path, init) => fetch(`${fleet.balancer.url}${path}`, init)
    const founder = await newFounder({ get, sql: (text, values) => cluster.query(text, values) as never })
    const board = await call<{ id: string }>(get, founder, 'POST', '/api/v1/board/boards', {
      name: 'Failover',
      key: 'FAIL',
    })
    if (board.status !== 201) throw new Error(`the board was refused: ${board.text}`)
    const receiver = await startEventReceiver()
    const hook = await call(get, founder.owner, 'POST', '/api/v1/webhooks', {
      url: receiver.url,
      events: ['*'],
    })
    if (hook.status !== 201) throw new Error(`the webhook was refused: ${hook.text}`)
    return new HaLoad(cluster, fleet, founder, board.body.id, receiver)
  }

  get #acknowledged(): Acknowledged[] {
    return this.#writers.flatMap(({ acknowledged }) => acknowledged)
  }

  /** Of acknowledged cards. */
  get count(): number {
    return this.#acknowledged.length
  }

  /** Returns their count when every writer has been acknowledged something from now on. */
  async flows(limitMs: number): Promise<number> {
    await this.#flowing(Date.now(), limitMs)
    return this.count
  }

  /** Breaks something, revokes a token at a random moment, and returns when writes are acknowledged again. */
  async during(fault: () => Promise<void>, limitMs: number): Promise<Outage> {
    const { get } = this.founder.server
    const processes = this.#fleet.running.api.map(
      ({ url }): Get =>
        (path, init) =>
          fetch(`${url}${path}`, init),
    )
    const revocation = await Revocation.prepare(get, this.founder.owner, processes)
    await this.#flowing(Date.now(), 30_000)
    const from = Date.now()
    await fault()
    const stop = new AbortController()
    const revoked = (async () => {
      await setTimeout(randomInt(0, 4000))
      await revocation.revoke()
      await revocation.tryUntil(stop.signal, processes)
    })()
    await waitFor(() => this.#gapIn(from) !== undefined, limitMs)
    await waitFor(() => revocation.refused + revocation.letIn.length > 50, 120_000)
    await this.#flowing(Date.now(), 30_000)
    stop.abort()
    await revoked
    const gap = this.#gapIn(from)
    const outage = { from, to: gap?.to ?? from, gap_ms: gap?.ms ?? 0, revocation }
    this.#outages.push(outage)
    return outage
  }

  /** Throws unless every acknowledged card of this outage and before is there. */
  async expectKept(): Promise<number> {
    const acknowledged = this.#acknowledged
    const rows = await this.#cluster.query<{ id: string; title: string }>(
      'select id, title from boards.cards where board_id = $1',
      [this.#board],
    )
    const kept = new Map(rows.map(({ id, title }) => [id, title]))
    const lost = acknowledged.filter(({ id, title }) => kept.get(id) !== title)
    if (lost.length > 0)
      throw new Error(`${lost.length} of ${acknowledged.length} acknowledged cards are lost`)
    return acknowledged.length
  }

  async end(): Promise<void> {
    this.#stop.abort()
    await this.#work
  }

  async close(): Promise<void> {
    await this.end()
    await Promise.all(this.#readers.map((each) => each.close()))
    await this.#receiver.close().catch(() => {})
  }

  /** Everything that was asked for with a key is there once, and no refusal was anything but an outage. */
  async findTwice(): Found {
    const faults = this.#writers.flatMap((each) => each.faults)
    if (faults.length > 0) throw new Error(`${faults.length} faults\n${faults.slice(0, 10).join('\n')}`)
    const twice = await this.#cluster.query(
      'select title from boards.cards where board_id = $1 group by title having count(*) > 1',
      [this.#board],
    )
    if (twice.length > 0) throw new Error(`${twice.length} cards were made twice`)
    const count = await this.expectKept()
    const refusals = new Map<number, number>()
    for (const each of this.#writers)
      for (const [status, times] of each.refusals) refusals.set(status, (refusals.get(status) ?? 0) + times)
    const told = [...refusals].map(([status, times]) => `${times} of ${status || 'no answer'}`).join(', ')
    return [count, `${count} acknowledged, each there once; refusals: ${told || 'none'}`]
  }

  async compareStreams(): Found {
    const rows = await this.#cluster.query<{ id: string }>(
      'select id::text from boards.activity entry where board_id = $1 order by entry.id',
      [this.#board],
    )
    return compareStreams(
      this.#readers,
      rows.map(({ id }) => id),
    )
  }

  /** Each job that was acknowledged has had its effect once; those of unknown outcome at most once. */
  async countJobs(): Found {
    const { acknowledged, unknown } = this.#marks
    const effects = async () => {
      const rows = await this.#cluster.query<{ key: string; times: string }>(
        'select key::text, count(*) as times from probe.effects group by key',
      )
      return new Map(rows.map(({ key, times }) => [key, Number(times)]))
    }
    await waitFor(async () => {
      const done = await effects()
      return acknowledged.every((key) => done.has(key))
    }, 120_000).catch(() => {})
    const done = await effects()
    const missing = acknowledged.filter((key) => !done.has(key))
    const twice = [...done].filter(([, times]) => times > 1)
    const note = `${acknowledged.length} acknowledged, ${unknown.length} of unknown outcome`
    if (missing.length > 0 || twice.length > 0)
      throw new Error(`${missing.length} not done, ${twice.length} done twice (${note})`)
    return [acknowledged.length, note]
  }

  /**
   * Deliveries are made at least once: one whose outcome could not be written down is made again, with the same id. So
   * each entry has to have come, and one that came again must first have come around an outage.
   */
  async countDeliveries(): Found {
    const rows = await this.#cluster.query<{ id: string }>(
      `select id::text from boards.activity where board_id = $1 and action <> 'board.created'`,
      [this.#board],
    )
    const { received } = this.#receiver
    // Entries of other boards come too, so a count of all would say nothing.
    const listMissing = () => {
      const come = new Set(received.map(({ entry }) => entry))
      return rows.filter(({ id }) => !come.has(id))
    }
    await waitFor(() => listMissing().length === 0, 120_000).catch(() => {})
    const missing = listMissing()
    const first = new Map<string, number>()
    const again: number[] = []
    for (const { webhook_id, at } of received) {
      const before = first.get(webhook_id)
      if (before === undefined) first.set(webhook_id, at)
      else again.push(before)
    }
    const isNear = (at: number) =>
      this.#outages.some(({ from, to }) => at > from - beforeMs && at < to + afterMs)
    const unexplained = again.filter((at) => !isNear(at))
    const note = `${rows.length} entries, ${received.length} deliveries, ${again.length} repeated with their id`
    if (missing.length > 0 || unexplained.length > 0)
      throw new Error(
        `${missing.length} not delivered, ${unexplained.length} repeated without an outage (${note})`,
      )
    return [rows.length, note]
  }

  /** The longest time without an acknowledgement since then, once it is over. */
  #gapIn(from: number): { ms: number; to: number } | undefined {
    const times = this.#acknowledged.map(({ at }) => at).filter((at) => at >= from - 1000)
    times.sort((a, b) => a - b)
    let longest = { ms: 0, to: 0 }
    for (let at = 1; at < times.length; at += 1) {
      const [before = 0, after = 0] = [times[at - 1], times[at]]
      if (after > from && after - before > longest.ms) longest = { ms: after - before, to: after }
    }
    return longest.ms > 1000 ? longest : undefined
  }

  /** Every writer has been acknowledged something since. */
  async #flowing(since: number, limitMs: number): Promise<void> {
    await waitFor(
      () => this.#writers.every(({ acknowledged }) => (acknowledged.at(-1)?.at ?? 0) > since),
      limitMs,
    )
  }

  async #mark(stop: AbortSignal): Promise<void> {
    const { get } = this.founder.server
    while (!stop.aborted) {
      const key = randomUUID()
      const answer = await call(get, null, 'POST', '/api/v1/probe/marks', { key }).catch(() => undefined)
      if (answer?.status === 202) this.#marks.acknowledged.push(key)
      else this.#marks.unknown.push(key)
      await setTimeout(150)
    }
  }
}
