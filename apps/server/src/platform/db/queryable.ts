import type { Life } from '#platform/bulkheads/life.ts'
import type { inOrder } from '#platform/db/in-order.ts'
import type { Statement } from '#platform/db/statement.ts'

export interface Compiled<Row> {
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

/** On whose account a connection is on loan. */
export interface Loan {
  /** Of the workspace whose share of the connections this takes. */
  readonly share?: number
  /** Of the request that this is done for. */
  readonly life?: Life | undefined
}

/** Runs first in every transaction of a context, for example the one that names the brand. */
export interface Preamble extends Loan {
  readonly statement: Statement<never, unknown>
  readonly values: unknown[]
  /** Called when it has been carried out. */
  entered?(): void
}
