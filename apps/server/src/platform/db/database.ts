import type pg from 'pg'
import { ConnectionWatch } from '#platform/db/connection-watch.ts'
import { EnteredQuery } from '#platform/db/entered-query.ts'
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
      this.#ask(client, config, (error, result) =>
        error ? reject(translatePgError(error)) : resolve(result),
      )
    })
  }

  #alone(config: pg.QueryConfig, preamble: Preamble): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      this.pool.connect((refused, client) => {
        if (refused || !client) return reject(translatePgError(refused))
        const { name } = preamble.statement
        if (!EnteredQuery.isPossible(client, name, config.name)) {
          return this.#inFour(client, config, preamble).then(resolve, reject)
        }
        const query = new EnteredQuery({ name, values: preamble.values }, config)
        this.#ask(client, query, (error, result) => {
          if (error) return reject(settle(client, error))
          client.release()
          preamble.entered?.()
          resolve(result)
        })
      })
    })
  }

  /** On a connection that sees one of the statements for the first time. */
  async #inFour(client: pg.PoolClient, config: pg.QueryConfig, preamble: Preamble): Promise<pg.QueryResult> {
    try {
      const [, , result] = await Promise.all([
        this.#query(client, begin),
        this.#query(client, preambleConfig(preamble)),
        this.#query(client, config),
        this.#query(client, commit),
      ])
      client.release()
      preamble.entered?.()
      return result
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

/** Gives the connection back, or throws it away when the error says it is lost. */
function settle(client: pg.PoolClient, error: unknown): unknown {
  const translated = translatePgError(error)
  client.release(translated instanceof Outage)
  return translated
}

class Runner implements Transaction {
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
