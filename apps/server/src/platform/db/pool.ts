import pg from 'pg'
import type { Log } from '#platform/log/log.ts'

export interface PoolOptions {
  readonly url: string
  /** A pooler in transaction mode lies between: it refuses limits at the start, so they have to be those of the role. */
  readonly is_pooled?: boolean
  readonly size: number
  readonly connect_timeout_ms: number
  readonly statement_timeout_ms: number
  /** How long a statement waits for a lock; as long as it may run when there is no limit. */
  readonly lock_timeout_ms?: number
  readonly idle_transaction_timeout_ms: number
  readonly application_name: string
  /**
   * For walks that read a page at a time: on a table without statistics yet, the planner would rather sort all rows again
   * for every page.
   */
  readonly avoids_sorts?: boolean
  /** What each new connection goes through before it is used. */
  readonly greet?: (client: pg.ClientBase) => Promise<void>
}

const { builtins } = pg.types

/**
 * Timestamps stay text: a JavaScript Date has no microseconds, and a cursor made from one returns rows
 * twice. The session runs in UTC, so the only zone ever seen is +00. Postgres drops zeros at the end; here all six digits
 * stand, so that times compare as text.
 */
export function isoTimestamp(value: string): string {
  const time = value.slice(11, -3)
  const fraction = (time.length > 8 ? time : `${time}.`).padEnd(15, '0')
  return `${value.slice(0, 10)}T${fraction}Z`
}

const parsers = new Map<number, (value: string) => unknown>([
  [builtins.TIMESTAMPTZ, isoTimestamp],
  [builtins.INT8, Number],
  [builtins.DATE, (value) => value],
])

export const clientTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    (format === 'binary' ? undefined : parsers.get(oid)) ??
    pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

/** A limit that is not given is sent as none: the role may have one for connections through a pooler. */
const sessionSettings = (options: PoolOptions) => ({
  statement_timeout: options.statement_timeout_ms,
  idle_in_transaction_session_timeout: options.idle_transaction_timeout_ms,
  options: [
    '-c TimeZone=UTC',
    `-c lock_timeout=${options.lock_timeout_ms ?? 0}`,
    ...(options.avoids_sorts ? ['-c enable_sort=off'] : []),
  ].join(' '),
})

const pooled = new WeakSet<pg.Pool>()

/** Whether a pooler in transaction mode lies between. */
export const isPooled = (pool: pg.Pool): boolean => pooled.has(pool)

export function createPool(options: PoolOptions, log: Log): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.size,
    connectionTimeoutMillis: options.connect_timeout_ms,
    idleTimeoutMillis: 30_000,
    application_name: options.application_name,
    ...(options.is_pooled ? { options: '-c TimeZone=UTC' } : sessionSettings(options)),
    keepAlive: true,
    types: clientTypes,
    // Statements of a transaction are pipelined.
    pipeline: true,
    ...(options.greet ? { onConnect: options.greet } : {}),
  } as pg.PoolConfig)
  if (options.is_pooled) pooled.add(pool)
  // A connection that dies is replaced at the next use; without a listener it would end the process. The pool
  // listens only to idle ones. One in use fails its statement, which is more informative than the event.
  pool.on('error', (error) => log.warn({ error }, 'idle database connection lost'))
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
