import pg from 'pg'
import type { Database } from '#platform/db/database.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { Outage } from '#platform/outage/outage.ts'

interface TimelineOptions {
  readonly limit_ms: number
  /** The database has been put back to an earlier moment while this process ran. */
  onChanged(): void
  /** Somebody needs the number and no connection has been made yet. */
  onUnknown(): void
}

/**
 * Which of the database's timelines this process works on. Each new connection says it before it is used: no connection
 * outlives a restore, so none is on another timeline than its process believes. A process that meets another one ends, for
 * whatever it remembers comes from a past that no longer exists.
 */
export class Timeline {
  readonly #options: TimelineOptions
  #number: number | undefined

  constructor(options: TimelineOptions) {
    this.#options = options
  }

  get number(): number {
    if (this.#number !== undefined) return this.#number
    this.#options.onUnknown()
    throw new Outage('database', 'unreachable')
  }

  async meet(client: pg.ClientBase): Promise<void> {
    const found = await readNumber(client, this.#options.limit_ms)
    this.#number ??= found
    if (found === this.#number) return
    this.#options.onChanged()
    throw new Outage('database', 'unreachable')
  }
}

const current = statement<object, { number: number }>(
  () => sql`select max(number) as number from platform.timelines`,
)
/** Makes a connection if there is none, which learns the number. */
export const askTimeline = (database: Database) => database.statements.first(current, {})

async function readNumber(client: pg.ClientBase, limitMs: number): Promise<number> {
  const query = {
    text: current.sql,
    // The limit of the server does not help against one that is frozen.
    query_timeout: limitMs,
  }
  try {
    const { rows } = await client.query<{ number: number | null }>(query)
    return rows[0]?.number ?? 1
  } catch (error) {
    // Nobody has migrated it yet, or the rights of this role are yet to come.
    if (error instanceof pg.DatabaseError && ['3F000', '42P01', '42501'].includes(error.code ?? '')) return 1
    throw error
  }
}
