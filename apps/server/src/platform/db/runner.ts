import type pg from 'pg'
import { inOrder } from '#platform/db/in-order.ts'
import type { Compiled, QueryOptions, Transaction } from '#platform/db/queryable.ts'
import { type Statement, statementName } from '#platform/db/statement.ts'

/** Sends a statement and names the failures that are outages. */
type Send = (config: pg.QueryConfig) => Promise<pg.QueryResult>

export class Runner implements Transaction {
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
