import type pg from 'pg'
import { ConnectionWatch } from '#platform/db/connection-watch.ts'
import { EnteredQuery } from '#platform/db/entered-query.ts'
import { inOrder } from '#platform/db/in-order.ts'
import { joinWrites } from '#platform/db/join-writes.ts'
import { isRetryable, translatePgError } from '#platform/db/pg-errors.ts'
import { type Statement, statementName } from '#platform/db/statement.ts'
import { Outage } from '#platform/outage/outage.ts'

interface Compiled<Row> {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly query?: unknown
  readonly row?: Row
}

export interface QueryOptions {
  /** Send it unnamed, so that Postgres plans it for these very values (skewed tenants, full-text search). */
  readonly custom_plan?: boolean
}

/** What stores run statements on: the pool, or one transaction. They cannot tell which, and need not. */
export interface Queryable {
  all<P, R>(statement: Statement<P, R>, params: P): Promise<R[]>
  first<P, R>(statement: Statement<P, R>, params: P): Promise<R | undefined>
  /** The number of rows written. */
  run<P, R>(statement: Statement<P, R>, params: P): Promise<number>
  /** A statement whose text depends on the call. Keep the number of different texts small. */
  query<R>(compiled: Compiled<R>, options?: QueryOptions): Promise<R[]>
  /** Waits for statements that were sent together; when one failed, the first of them is the reason. */
  readonly inOrder: typeof inOrder
}

export interface Transaction extends Queryable {
  /** For engines that bring their own SQL, such as the job queue. */
  sql(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>
}

/** Runs first in every transaction of a context, for example the one that names the brand. */
export interface Preamble {
  readonly statement: Statement<never, unknown>
  readonly values: unknown[]
  /** Called when it has been carried out. */
  entered?(): void
}

interface Asked {
  readonly config: pg.QueryConfig
  resolve(result: pg.QueryResult): void
  reject(error: unknown): void
}

type Answered = (error: Error | null, result: pg.QueryResult) => void

/** Sends a statement and names the failures that are outages. */
type Send = (config: pg.QueryConfig) => Promise<pg.QueryResult>

const begin: pg.QueryConfig = { text: 'begin' }
const beginSnapshot: pg.QueryConfig = { text: 'begin isolation level repeatable read read only' }
const commit: pg.QueryConfig = { text: 'commit' }
const rollback: pg.QueryConfig = { text: 'rollback' }
const maxAttempts = 4

export class Database {
  readonly pool: pg.Pool
  /** Single statements that enter no brand. */
  readonly statements: Queryable = new Runner((config) => untilNotCrossed(() => this.#send(config)))
  readonly #watch: ConnectionWatch
  /** Reads of this very moment, by what they enter with. */
  readonly #gathered = new Map<Preamble, Asked[]>()

  /** Answers that take longer than the limit end their connection. */
  constructor(pool: pg.Pool, answerLimitMs: number) {
    this.pool = pool
    this.#watch = new ConnectionWatch(answerLimitMs)
  }

  /** Single statements, each in a transaction that the preamble opens; the whole goes out in one round trip. */
  queryable(preamble: Preamble): Queryable {
    return new Runner((config) => untilNotCrossed(() => this.#alone(config, preamble)))
  }

  /** A transaction that lost against another one runs again, so `work` must not act outside of it. */
  async transaction<T>(preamble: Preamble | undefined, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return untilNotCrossed(() => this.#once(begin, preamble, work))
  }

  /** Reads only, all of them at one moment, however long they take together. */
  async snapshot<T>(preamble: Preamble, work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#once(beginSnapshot, preamble, work)
  }

  async close(): Promise<void> {
    await this.pool.end()
    this.#watch.close()
  }

  /** The hottest path of the product. Callbacks and one promise: more of them double the cost of collecting. */
  #send(config: pg.QueryConfig): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      this.pool.connect((refused, client) => {
        if (refused || !client) return reject(translatePgError(refused))
        this.#ask(client, config, (error, result) => {
          if (error) return reject(settle(client, error))
          client.release()
          resolve(result)
        })
      })
    })
  }

  #ask(client: pg.PoolClient, config: pg.QueryConfig | EnteredQuery, answer: Answered): void {
    this.#watch.asked(client)
    client.query(config as pg.QueryConfig, (error, result) => {
      this.#watch.answered(client)
      answer(error, result)
    })
  }

  #query(client: pg.PoolClient, config: pg.QueryConfig): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      joinWrites(client)
      this.#ask(client, config, (error, result) =>
        error ? reject(translatePgError(error)) : resolve(result),
      )
    })
  }

  /**
   * What one caller asks for at the same moment and only reads goes out together: one connection, one entry, one
   * packet there and one back.
   */
  #alone(config: pg.QueryConfig, preamble: Preamble): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      const asked = { config, resolve, reject }
      // One that is told when it was entered belongs to one caller; others are shared by all.
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
    this.pool.connect((refused, client) => {
      if (refused || !client) return rejectAll(all, translatePgError(refused))
      const configs = all.map(({ config }) => config)
      const last = configs.at(-1) as pg.QueryConfig
      const { name } = preamble.statement
      if (!EnteredQuery.isPossible(client, name, ...configs.map((config) => config.name))) {
        this.#inTurn(client, configs, preamble).then(
          (results) => resolveAll(all, results),
          (error: unknown) => this.#failed(all, error, preamble),
        )
        return
      }
      const query = new EnteredQuery({ name, values: preamble.values }, last, configs.slice(0, -1))
      query.stepped = () => this.#watch.stepped(client)
      this.#ask(client, query, (error) => {
        if (error) return this.#failed(all, settle(client, error), preamble)
        client.release()
        preamble.entered?.()
        resolveAll(all, query.results)
      })
    })
  }

  /** One of several failed, and took the others with it: each by itself gets its own answer. */
  #failed(all: readonly Asked[], error: unknown, preamble: Preamble): void {
    if (all.length === 1 || error instanceof Outage) rejectAll(all, error)
    else for (const asked of all) this.#together([asked], preamble)
  }

  /** On a connection that sees one of the statements for the first time. */
  async #inTurn(
    client: pg.PoolClient,
    configs: readonly pg.QueryConfig[],
    preamble: Preamble,
  ): Promise<pg.QueryResult[]> {
    try {
      const [, , ...results] = await Promise.all([
        this.#query(client, begin),
        this.#query(client, preambleConfig(preamble)),
        ...configs.map((config) => this.#query(client, config)),
        this.#query(client, commit),
      ])
      client.release()
      preamble.entered?.()
      return results
    } catch (error) {
      // The commit that followed closed the failed transaction; the connection itself is sound unless lost.
      throw settle(client, error)
    }
  }

  async #once<T>(
    opening: pg.QueryConfig,
    preamble: Preamble | undefined,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const client = await this.#acquire()
    // Not awaited: it travels with the first statement. A failure shows there, and again at commit.
    const opened = Promise.all([
      this.#query(client, opening),
      preamble && this.#query(client, preambleConfig(preamble)),
    ])
    opened.catch(() => {})
    try {
      const result = await work(new Runner((config) => this.#query(client, config)))
      await opened
      const { command } = await this.#query(client, commit)
      // Postgres answers ROLLBACK when a statement failed and the work went on as if it had not.
      if (command !== 'COMMIT')
        throw new Error('the transaction was rolled back: a failed statement was ignored')
      client.release()
      preamble?.entered?.()
      return result
    } catch (error) {
      // When it did not open, every later statement failed only because of that.
      const first = await opened.then(
        () => error,
        (reason: unknown) => reason,
      )
      await this.#query(client, rollback).catch(() => {})
      throw settle(client, first)
    }
  }

  async #acquire(): Promise<pg.PoolClient> {
    try {
      return await this.pool.connect()
    } catch (error) {
      throw translatePgError(error)
    }
  }
}

/** A single statement can lose as well, against one that locks the same rows in another order. */
async function untilNotCrossed<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === maxAttempts || !isRetryable(error)) throw error
    }
  }
}

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

/** Whether a statement changes and locks nothing, as far as its text tells. In doubt it does. */
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

/** Gives the connection back, or throws it away when the error says it is lost. */
function settle(client: pg.PoolClient, error: unknown): unknown {
  const translated = translatePgError(error)
  client.release(translated instanceof Outage)
  return translated
}

class Runner implements Transaction {
  readonly inOrder = inOrder
  readonly #send: Send

  constructor(send: Send) {
    this.#send = send
  }

  all<P, R>(statement: Statement<P, R>, params: P): Promise<R[]> {
    return this.#named(statement, params).then(rowsOf<R>)
  }

  first<P, R>(statement: Statement<P, R>, params: P): Promise<R | undefined> {
    return this.#named(statement, params).then(firstOf<R>)
  }

  run<P, R>(statement: Statement<P, R>, params: P): Promise<number> {
    return this.#named(statement, params).then(countOf)
  }

  query<R>({ sql, parameters }: Compiled<R>, options: QueryOptions = {}): Promise<R[]> {
    const config = { text: sql, values: [...parameters] }
    const named = options.custom_plan ? config : { ...config, name: statementName(sql) }
    return this.#send(named).then(rowsOf<R>)
  }

  sql(text: string, values: readonly unknown[] = []): Promise<{ rows: unknown[] }> {
    return this.#send({ text, values: [...values] })
  }

  #named<P, R>(statement: Statement<P, R>, params: P): Promise<pg.QueryResult> {
    return this.#send({ name: statement.name, text: statement.sql, values: statement.bind(params) })
  }
}

const rowsOf = <R>({ rows }: pg.QueryResult): R[] => rows
const firstOf = <R>({ rows }: pg.QueryResult): R | undefined => rows[0]
const countOf = ({ rowCount }: pg.QueryResult): number => rowCount ?? 0
