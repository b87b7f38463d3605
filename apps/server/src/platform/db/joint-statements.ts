import type pg from 'pg'
import type { Life } from '#platform/bulkheads/life.ts'
import type { Connections } from '#platform/db/connections.ts'
import { JointQuery } from '#platform/db/joint-query.ts'
import { Unconfirmed } from '#platform/db/pg-errors.ts'

interface Asked {
  readonly config: pg.QueryConfig
  readonly life: Life | undefined
  resolve(result: pg.QueryResult): void
  reject(error: unknown): void
}

interface Corked {
  cork(): void
  uncork(): void
}

/**
 * Statements that a transaction issues in one turn of the event loop are sent in one write and return together: the
 * preamble with the first statement, and statements that do not depend on each other. A write is a system call, and more
 * expensive than most statements.
 */
export class JointStatements {
  readonly #connections: Connections
  readonly #asked = new Map<pg.PoolClient, Asked[]>()

  constructor(connections: Connections) {
    this.#connections = connections
  }

  ask(client: pg.PoolClient, config: pg.QueryConfig, life?: Life): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      if (life?.ended) return reject(life.ended)
      const asked = { config, life, resolve, reject }
      const gathered = this.#asked.get(client)
      if (gathered) gathered.push(asked)
      else {
        this.#asked.set(client, [asked])
        process.nextTick(() => this.#send(client))
      }
    })
  }

  #send(client: pg.PoolClient): void {
    const all = this.#asked.get(client) ?? []
    this.#asked.delete(client)
    const { stream } = (client as unknown as { connection: { stream: Corked } }).connection
    stream.cork()
    let known: Asked[] = []
    for (const asked of all) {
      if (JointQuery.isKnown(client, asked.config.name)) {
        known.push(asked)
        continue
      }
      this.#sendKnown(client, known)
      known = []
      this.#sendAlone(client, asked)
    }
    this.#sendKnown(client, known)
    stream.uncork()
  }

  #sendKnown(client: pg.PoolClient, all: readonly Asked[]): void {
    const query = JointQuery.of(
      client,
      all.map(({ config }) => config),
    )
    if (!query) return
    query.stepped = () => this.#connections.stepped(client)
    const answer = (error: Error | null) => {
      const reason = error && this.#connections.translate(error)
      for (const [at, { resolve, reject }] of all.entries()) {
        const result = query.results[at]
        // Statements after the failed one were skipped. A commit that is not confirmed has its result and is none.
        if (result && !(error instanceof Unconfirmed)) resolve(result)
        else reject(reason)
      }
    }
    this.#connections.ask(client, query, answer, all.at(-1)?.life)
  }

  #sendAlone(client: pg.PoolClient, { config, life, resolve, reject }: Asked): void {
    const answer = (error: Error | null, result: pg.QueryResult) =>
      error ? reject(this.#connections.translate(error)) : resolve(result)
    this.#connections.ask(client, config, answer, life)
  }
}
