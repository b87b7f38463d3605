import type pg from 'pg'
import type { Bulkhead } from '#platform/bulkheads/bulkheads.ts'
import type { Life } from '#platform/bulkheads/life.ts'
import { Connections, type ConnectionWaits } from '#platform/db/connections.ts'
import { JointQuery } from '#platform/db/joint-query.ts'
import { JointStatements } from '#platform/db/joint-statements.ts'
import { Last } from '#platform/db/last.ts'
import { Plans } from '#platform/db/plans.ts'
import type { BrandQueryable, Loan, Preamble, Queryable, Transaction } from '#platform/db/queryable.ts'
import { Runner } from '#platform/db/runner.ts'
import { Outage, type Part } from '#platform/outage/outage.ts'

export type { Preamble, Queryable, Transaction } from '#platform/db/queryable.ts'

interface Asked {
  readonly config: pg.QueryConfig
  resolve(result: pg.QueryResult): void
  reject(error: unknown): void
}

export interface DatabaseOptions {
  /** How many connections one workspace may hold; no bound when there is none. */
  readonly share?: Bulkhead
  /** For walks that hold a snapshot for long; they use the common connections when there is none. */
  readonly walks?: Database
  readonly waits?: ConnectionWaits
  /** How outages call it. */
  readonly part?: Part
}

// Named, so that they are prepared and can be sent together with others.
const begin: pg.QueryConfig = { name: 'begin', text: 'begin' }
const beginSnapshot: pg.QueryConfig = {
  name: 'snapshot',
  text: 'begin isolation level repeatable read read only',
}
const commit: pg.QueryConfig = { name: 'commit', text: 'commit' }
const rollback: pg.QueryConfig = { text: 'rollback' }

export class Database {
  readonly pool: pg.Pool
  readonly #plans = new Plans()
  /** Single statements that enter no brand. */
  readonly statements: Queryable = new Runner((config) => this.#plans.untilDone(() => this.#send(config)))
  readonly #connections: Connections
  /** Of transactions. */
  readonly #joint: JointStatements
  readonly #walks: Database | undefined
  /** Reads of this very moment, by what they enter with. */
  readonly #gathered = new Map<Preamble, Asked[]>()

  /** A response that takes longer than the limit ends its connection. */
  constructor(pool: pg.Pool, answerLimitMs: number, { walks, ...how }: DatabaseOptions = {}) {
    this.pool = pool
    this.#connections = new Connections(pool, answerLimitMs, how)
    this.#joint = new JointStatements(this.#connections)
    this.#walks = walks
  }

  /** Single statements that enter no brand, on the account of a request. */
  statementsOf(loan: Loan): Queryable {
    return new Runner((config) => this.#plans.untilDone(() => this.#send(config, loan)))
  }

  /** Single statements, each in a transaction that the preamble opens; the whole goes out in one round trip. */
  queryable(preamble: Preamble, brandId?: number): BrandQueryable {
    return new Runner((config) => this.#plans.untilDone(() => this.#alone(config, preamble)), brandId)
  }

  /** A transaction that lost against another one runs again, so `work` must not act outside of it. */
  async transaction<T>(
    preamble: Preamble | undefined,
    work: (tx: Transaction) => Promise<T | Last<T>>,
  ): Promise<T> {
    return this.#plans.untilDone(() => this.#once(begin, preamble, work))
  }

  /**
   * Reads only, all of them at one moment, however long they take together. What a long one has read may be on its way
   * to the caller and cannot run again, so it prepares nothing that a release could make stale.
   */
  async snapshot<T>(
    preamble: Preamble,
    work: (tx: Queryable) => Promise<T>,
    { is_long = false }: { is_long?: boolean } = {},
  ): Promise<T> {
    if (is_long) return (this.#walks ?? this).#once(beginSnapshot, preamble, work, unprepared)
    return this.#plans.untilDone(() => this.#once(beginSnapshot, preamble, work))
  }

  /** Cancels the work of a request whose caller has gone. */
  cancel(life: Life): void {
    this.#connections.cancel(life)
    this.#walks?.cancel(life)
  }

  async close(): Promise<void> {
    await this.#walks?.close()
    await this.pool.end()
    this.#connections.close()
  }

  /** The hottest path of the product. Callbacks and one promise: more of them double the cost of collecting. */
  #send(config: pg.QueryConfig, of?: Loan): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      this.#connections.take(of, (refused, client) => {
        if (!client) return reject(refused)
        const named = this.#plans.named(config)
        const joint = JointQuery.of(client, [named])
        const answer = (error: Error | null, result: pg.QueryResult) => {
          if (error) return reject(this.#connections.settle(client, error, of))
          this.#connections.release(client, of)
          resolve(joint?.results[0] ?? result)
        }
        this.#connections.ask(client, joint ?? named, answer, of?.life)
      })
    })
  }

  #query(client: pg.PoolClient, config: pg.QueryConfig, life?: Life): Promise<pg.QueryResult> {
    return this.#joint.ask(client, this.#plans.named(config), life)
  }

  /**
   * Reads that one caller issues at the same moment are sent together: one connection, one entry, one packet each way.
   */
  #alone(config: pg.QueryConfig, preamble: Preamble): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      const asked = { config, resolve, reject }
      // A preamble with `entered` belongs to one caller; others are shared.
      if (!preamble.entered || !isRead(config.text)) {
        this.#together([asked], preamble)
        return
      }
      const gathered = this.#gathered.get(preamble)
      if (gathered) {
        gathered.push(asked)
        return
      }
      const first = [asked]
      this.#gathered.set(preamble, first)
      queueMicrotask(() => {
        this.#gathered.delete(preamble)
        this.#together(first, preamble)
      })
    })
  }

  #together(all: readonly Asked[], preamble: Preamble): void {
    this.#connections.take(preamble, (refused, client) => {
      if (!client) return rejectAll(all, refused)
      const configs = [preambleConfig(preamble), ...all.map(({ config }) => config)]
      const query = JointQuery.of(
        client,
        configs.map((config) => this.#plans.named(config)),
      )
      if (!query) {
        this.#inTurn(client, all, preamble).then(
          (results) => resolveAll(all, results),
          (error: unknown) => this.#failed(all, error, preamble),
        )
        return
      }
      query.stepped = () => this.#connections.stepped(client)
      const answer = (error: Error | null) => {
        if (error) return this.#failed(all, this.#connections.settle(client, error, preamble), preamble)
        this.#connections.release(client, preamble)
        preamble.entered?.()
        resolveAll(all, query.results.slice(1))
      }
      this.#connections.ask(client, query, answer, preamble.life)
    })
  }

  /** One of several failed and took the others with it: each is retried alone. */
  #failed(all: readonly Asked[], error: unknown, preamble: Preamble): void {
    if (all.length === 1 || error instanceof Outage) rejectAll(all, error)
    else for (const asked of all) this.#together([asked], preamble)
  }

  /** On a connection that sees one of the statements for the first time. */
  async #inTurn(client: pg.PoolClient, all: readonly Asked[], preamble: Preamble): Promise<pg.QueryResult[]> {
    const { life } = preamble
    try {
      const [, , ...results] = await Promise.all([
        this.#query(client, begin, life),
        this.#query(client, preambleConfig(preamble), life),
        ...all.map(({ config }) => this.#query(client, config, life)),
        this.#query(client, commit, life),
      ])
      this.#connections.release(client, preamble)
      preamble.entered?.()
      return results
    } catch (error) {
      // Postgres skips everything after a failed statement up to the next Sync, possibly including the commit.
      await this.#query(client, rollback).catch(() => {})
      throw this.#connections.settle(client, error, preamble)
    }
  }

  async #once<T>(
    opening: pg.QueryConfig,
    preamble: Preamble | undefined,
    work: (tx: Transaction) => Promise<T | Last<T>>,
    as = asIs,
  ): Promise<T> {
    const client = await this.#acquire(preamble)
    const life = preamble?.life
    // Not awaited: it travels with the first statement. A failure shows there, and again at commit.
    const opened = Promise.all([
      this.#query(client, as(opening)),
      preamble && this.#query(client, as(preambleConfig(preamble))),
    ])
    opened.catch(() => {})
    let isOver = false
    const ask = (config: pg.QueryConfig) => {
      if (isOver) return Promise.reject(new Error('a statement came after the end of its transaction'))
      return this.#query(client, as(config), life)
    }
    try {
      const done = await work(new Runner(ask))
      isOver = true
      const last = done instanceof Last ? done.sent : undefined
      last?.catch(() => {})
      if (!last) await opened
      if (life?.ended) throw life.ended
      // From here on it is not ended from outside: it is either committed or it was not sent.
      const committed = this.#query(client, as(commit))
      committed.catch(() => {})
      const result = done instanceof Last ? await done.sent : done
      const { command } = await committed
      // Postgres returns ROLLBACK if a statement failed and the work ignored it.
      if (command !== 'COMMIT')
        throw new Error('the transaction was rolled back: a failed statement was ignored')
      this.#connections.release(client, preamble)
      preamble?.entered?.()
      return result
    } catch (error) {
      // When it did not open, every later statement failed only because of that.
      const first = await opened.then(
        () => error,
        (reason: unknown) => reason,
      )
      await this.#query(client, rollback).catch(() => {})
      throw this.#connections.settle(client, first, preamble)
    }
  }

  #acquire(preamble: Preamble | undefined): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      this.#connections.take(preamble, (refused, client) => (client ? resolve(client) : reject(refused)))
    })
  }
}

const asIs = (config: pg.QueryConfig): pg.QueryConfig => config
const unprepared = ({ text, values }: pg.QueryConfig): pg.QueryConfig => ({ text, values: values ?? [] })

const preambleConfig = ({ statement, values }: Preamble): pg.QueryConfig => ({
  name: statement.name,
  text: statement.sql,
  values,
})

const resolveAll = (all: readonly Asked[], results: readonly pg.QueryResult[]): void => {
  for (const [at, { resolve }] of all.entries()) resolve(results[at] as pg.QueryResult)
}
const rejectAll = (all: readonly Asked[], error: unknown): void => {
  for (const { reject } of all) reject(error)
}

const reads = new Map<string, boolean>()
const writes = /\b(insert|update|delete|merge|call|share)\b/i

/** Whether a statement changes and locks nothing, judged by its text. If in doubt, false. */
function isRead(text: string | undefined): boolean {
  if (text === undefined) return false
  let known = reads.get(text)
  if (known === undefined) {
    known = /^\s*(select|with)\b/i.test(text) && !writes.test(text)
    if (reads.size > 5000) reads.clear()
    reads.set(text, known)
  }
  return known
}
