import type { Life } from '#platform/bulkheads/life.ts'
import type { inOrder } from '#platform/db/in-order.ts'
import type { BrandStatement, Statement } from '#platform/db/statement.ts'

/** What stores run statements on: the pool or a transaction. Stores need not know which. */
export interface Queryable {
  all<P, R>(statement: Statement<P, R>, params: NoInfer<P>): Promise<R[]>
  first<P, R>(statement: Statement<P, R>, params: NoInfer<P>): Promise<R | undefined>
  /** The number of rows written. */
  run<P, R>(statement: Statement<P, R>, params: NoInfer<P>): Promise<number>
  /** Waits for statements that were sent together; when one failed, the first of them is the reason. */
  readonly inOrder: typeof inOrder
}

/** The same in one workspace, which the statements of its tables take from here and not from their caller. */
export interface BrandQueryable extends Queryable {
  all<P, R>(statement: Statement<P, R> | BrandStatement<P, R>, params: NoInfer<P>): Promise<R[]>
  first<P, R>(statement: Statement<P, R> | BrandStatement<P, R>, params: NoInfer<P>): Promise<R | undefined>
  run<P, R>(statement: Statement<P, R> | BrandStatement<P, R>, params: NoInfer<P>): Promise<number>
}

export interface Transaction extends Queryable {
  /** For engines that bring their own SQL, such as the job queue. Prepared, so the texts must be few. */
  sql(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>
  /** The same transaction for the statements of one workspace, whose rows it has entered. */
  inBrand(brandId: number): BrandTransaction
}
export interface BrandTransaction extends BrandQueryable, Transaction {
  all: BrandQueryable['all']
  first: BrandQueryable['first']
  run: BrandQueryable['run']
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
  readonly statement: { readonly name: string; readonly sql: string }
  readonly values: unknown[]
  /** Called when it has been carried out. */
  entered?(): void
}
