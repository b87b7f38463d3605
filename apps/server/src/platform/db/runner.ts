import type pg from 'pg'
import { inOrder } from '#platform/db/in-order.ts'
import type { BrandTransaction } from '#platform/db/queryable.ts'
import { type BrandStatement, type Statement, statementName } from '#platform/db/statement.ts'

/** Sends a statement and names the failures that are outages. */
type Send = (config: pg.QueryConfig) => Promise<pg.QueryResult>
type Runnable<P, R> = Statement<P, R> | BrandStatement<P, R>

export class Runner implements BrandTransaction {
  readonly inOrder = inOrder
  readonly #send: Send
  readonly #brandId: number | undefined

  constructor(send: Send, brandId?: number) {
    this.#send = send
    this.#brandId = brandId
  }

  all<P, R>(statement: Runnable<P, R>, params: P): Promise<R[]> {
    return this.#named(statement, params).then(rowsOf<R>)
  }

  first<P, R>(statement: Runnable<P, R>, params: P): Promise<R | undefined> {
    return this.#named(statement, params).then(firstOf<R>)
  }

  run<P, R>(statement: Runnable<P, R>, params: P): Promise<number> {
    return this.#named(statement, params).then(countOf)
  }

  sql(text: string, values: readonly unknown[] = []): Promise<{ rows: unknown[] }> {
    return this.#send({ name: nameOf(text), text, values: [...values] })
  }

  inBrand(brandId: number): BrandTransaction {
    return new Runner(this.#send, brandId)
  }

  #named<P, R>(statement: Runnable<P, R>, params: P): Promise<pg.QueryResult> {
    const { name, sql: text } = statement
    const values = statement.bind(params, statement.binds_brand ? this.#brandId : undefined)
    return this.#send(statement.is_custom_plan ? { text, values } : { name, text, values })
  }
}

const rowsOf = <R>({ rows }: pg.QueryResult): R[] => rows
const firstOf = <R>({ rows }: pg.QueryResult): R | undefined => rows[0]
const countOf = ({ rowCount }: pg.QueryResult): number => rowCount ?? 0

const names = new Map<string, string>()
function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = statementName(text)
    // The texts of an engine are few; the bound is for the day that they are not.
    if (names.size > 1000) names.clear()
    names.set(text, name)
  }
  return name
}
