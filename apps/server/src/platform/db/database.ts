import type pg from 'pg'
import { isRetryable, translatePgError } from '#platform/db/pg-errors.ts'
import { type Statement, sqlStatement, statementName } from '#platform/db/statement.ts'

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
}

type Send = (config: pg.QueryConfig) => Promise<pg.QueryResult>

const begin: pg.QueryConfig = { text: 'begin' }
const commit: pg.QueryConfig = { text: 'commit' }
const maxAttempts = 4

export const setBrand = sqlStatement<{ brand_id: string }, unknown>(
  `select set_config('app.brand_id', $1, true)`,
  'brand_id',
)

export class Database {
  readonly pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.pool = pool
  }

  /** Single statements. With a preamble each one is a transaction, sent whole in one round trip. */
  queryable(preamble?: Preamble): Queryable {
    const send: Send = preamble ? (config) => this.#alone(config, preamble) : (config) => this.#send(config)
    return new Runner((config) => untilNotCrossed(() => send(config)))
  }

  /** A transaction that lost against another one runs again, so `work` must not act outside of it. */
  async transaction<T>(preamble: Preamble | undefined, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return untilNotCrossed(() => this.#once(preamble, work))
  }

  async close(): Promise<void> {
    await this.pool.end()
  }

  async #send(config: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = await this.#acquire()
    try {
      const result = await client.query(config)
      client.release()
      return result
    } catch (error) {
      throw settle(client, error)
    }
  }

  async #alone(config: pg.QueryConfig, preamble: Preamble): Promise<pg.QueryResult> {
    const client = await this.#acquire()
    try {
      const [, , result] = await Promise.all([
        client.query(begin),
        client.query(preambleConfig(preamble)),
        client.query(config),
        client.query(commit),
      ])
      client.release()
      return result
    } catch (error) {
      // The commit that followed closed the failed transaction; the connection itself is sound unless lost.
      throw settle(client, error)
    }
  }

  async #once<T>(preamble: Preamble | undefined, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#acquire()
    // Not awaited: it travels with the first statement. A failure shows there, and again at commit.
    const opened = Promise.all([client.query(begin), preamble && client.query(preambleConfig(preamble))])
    opened.catch(() => {})
    try {
      const result = await work(new Runner((config) => client.query(config)))
      await opened
      const { command } = await client.query(commit)
      // Postgres answers ROLLBACK when a statement failed and the work went on as if it had not.
      if (command !== 'COMMIT')
        throw new Error('the transaction was rolled back: a failed statement was ignored')
      client.release()
      return result
    } catch (error) {
      await client.query('rollback').catch(() => {})
      throw settle(client, error)
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
  client.release(translated !== error)
  return translated
}

class Runner implements Transaction {
  readonly #send: Send

  constructor(send: Send) {
    this.#send = send
  }

  async all<P, R>(statement: Statement<P, R>, params: P): Promise<R[]> {
    return (await this.#named(statement, params)).rows
  }

  async first<P, R>(statement: Statement<P, R>, params: P): Promise<R | undefined> {
    return (await this.#named(statement, params)).rows[0]
  }

  async run<P, R>(statement: Statement<P, R>, params: P): Promise<number> {
    return (await this.#named(statement, params)).rowCount ?? 0
  }

  async query<R>({ sql, parameters }: Compiled<R>, options: QueryOptions = {}): Promise<R[]> {
    const config = { text: sql, values: [...parameters] }
    const named = options.custom_plan ? config : { ...config, name: statementName(sql) }
    return (await this.#translated(named)).rows
  }

  sql(text: string, values: readonly unknown[] = []): Promise<{ rows: unknown[] }> {
    return this.#translated({ text, values: [...values] })
  }

  #named<P, R>(statement: Statement<P, R>, params: P): Promise<pg.QueryResult> {
    return this.#translated({ name: statement.name, text: statement.sql, values: statement.bind(params) })
  }

  async #translated(config: pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await this.#send(config)
    } catch (error) {
      throw translatePgError(error)
    }
  }
}
