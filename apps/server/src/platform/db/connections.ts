import type pg from 'pg'
import type { Bulkhead } from '#platform/bulkheads/bulkheads.ts'
import { KeyedSemaphore } from '#platform/bulkheads/keyed-semaphore.ts'
import type { Life } from '#platform/bulkheads/life.ts'
import { requestCancel } from '#platform/db/cancel-request.ts'
import { ConnectionWatch } from '#platform/db/connection-watch.ts'
import { JointQuery } from '#platform/db/joint-query.ts'
import { Lending } from '#platform/db/lending.ts'
import { isSoundAfter, isUnconfirmed, translatePgError, Unconfirmed } from '#platform/db/pg-errors.ts'
import { isPooled } from '#platform/db/pool.ts'
import type { Loan } from '#platform/db/queryable.ts'
import { Outage, type Part } from '#platform/outage/outage.ts'

export interface ConnectionWaits {
  /** Waited for a connection because none was free. */
  pool(seconds: number): void
  /** Waited because the workspace had used up its share. */
  share(seconds: number): void
}

type Taken = (refused: unknown, client?: pg.PoolClient) => void
type Answered = (error: Error | null, result: pg.QueryResult) => void

/** Connections on loan: who may have one, what is owed on it, and how it goes back. */
export class Connections {
  readonly #pool: pg.Pool
  readonly #isPooled: boolean
  readonly #lending: Lending
  readonly #watch: ConnectionWatch
  readonly #shares: KeyedSemaphore<number> | undefined
  readonly #waits: ConnectionWaits | undefined
  readonly #part: Part
  /** Connections with a cancel request in flight: released once it can no longer hit another statement. */
  readonly #ending = new Map<pg.ClientBase, Promise<void>>()
  /** Connections whose commit no standby has confirmed, until its answer is here. */
  readonly #unconfirmed = new Set<pg.ClientBase>()

  constructor(
    pool: pg.Pool,
    limitMs: number,
    { share, waits, part = 'database' }: { share?: Bulkhead; waits?: ConnectionWaits; part?: Part } = {},
  ) {
    this.#pool = pool
    this.#isPooled = isPooled(pool)
    this.#part = part
    this.#lending = new Lending(pool)
    this.#watch = new ConnectionWatch(limitMs)
    this.#shares = share && new KeyedSemaphore(share, waits?.share, part)
    this.#waits = waits
    pool.on('connect', (client) => {
      client.on('notice', (notice) => {
        if (isUnconfirmed(notice)) this.#unconfirmed.add(client)
      })
    })
  }

  take(of: Loan | undefined, taken: Taken): void {
    if (of?.life?.ended) taken(of.life.ended)
    else if (of?.share === undefined || !this.#shares) this.#connect(of, taken)
    else {
      this.#shares.whenEntered(of.share, of.life, (refused) =>
        refused ? taken(refused) : this.#connect(of, taken),
      )
    }
  }

  #connect(of: Loan | undefined, taken: Taken): void {
    const begun = this.#pool.idleCount === 0 ? performance.now() : undefined
    this.#lending.take((error, client) => {
      if (begun !== undefined) this.#waits?.pool((performance.now() - begun) / 1000)
      if (error || !client) {
        this.#leave(of)
        taken(this.translate(error))
      } else if (of?.life?.ended) {
        this.release(client, of)
        taken(of.life.ended)
      } else taken(undefined, client)
    })
  }

  ask(client: pg.PoolClient, query: pg.QueryConfig | JointQuery, answer: Answered, life?: Life): void {
    this.#watch.asked(client, life)
    client.query(query as pg.QueryConfig, (error, result) => {
      this.#watch.answered(client)
      if (error && this.#isPooled && !(query instanceof JointQuery)) keepName(client, query)
      const isUnconfirmed = this.#unconfirmed.size > 0 && this.#unconfirmed.delete(client)
      answer(isUnconfirmed ? new Unconfirmed('no standby has confirmed the commit') : error, result)
    })
  }

  stepped(client: pg.PoolClient): void {
    this.#watch.stepped(client)
  }

  release(client: pg.PoolClient, of?: Loan, isLost = false): void {
    const ending = this.#ending.size > 0 ? this.#ending.get(client) : undefined
    // The next of the workspace gets in line first, so that the connection may be handed on to it.
    this.#leave(of)
    if (ending) ending.then(() => this.#lending.giveBack(client, isLost))
    else this.#lending.giveBack(client, isLost)
  }

  /** Releases the connection, or destroys it if the error means that it is lost. Returns the error to throw. */
  settle(client: pg.PoolClient, error: unknown, of?: Loan): unknown {
    const translated = this.translate(error)
    this.release(client, of, translated instanceof Outage && !isSoundAfter(translated))
    return of?.life?.ended ?? translated
  }

  /** An outage names the handle that has it. */
  translate(error: unknown): unknown {
    return translatePgError(error, this.#part)
  }

  cancel(life: Life): void {
    for (const client of this.#watch.owedTo(life)) {
      if (this.#ending.has(client)) continue
      const ending = requestCancel(client).finally(() => this.#ending.delete(client))
      this.#ending.set(client, ending)
    }
  }

  close(): void {
    this.#watch.close()
  }

  #leave(of: Loan | undefined): void {
    if (of?.share !== undefined) this.#shares?.leave(of.share)
  }
}

interface WithNames {
  readonly connection: { readonly parsedStatements: Record<string, string | undefined> }
}

/**
 * The driver forgets the name of a statement that failed while it was prepared, such as the next one in a transaction that
 * has just failed, and would prepare it again. PgBouncer has kept it, prepares it on whichever server it is used next, and
 * ends a connection that brings a name twice.
 */
function keepName(client: pg.PoolClient, { name, text }: Partial<pg.QueryConfig>): void {
  if (name === undefined || text === undefined) return
  const { parsedStatements } = (client as unknown as WithNames).connection
  parsedStatements[name] ??= text
}
