import pg from 'pg'
import { DatabaseProbe } from '#platform/db/database-probe.ts'
import { isOneMinorAhead, readMigrations } from '#platform/db/migrate.ts'

/** Why a process should get no requests. `schema_changed`: a migration that was applied has other content here. */
export type NotReady =
  | 'starting'
  | 'draining'
  | 'database_unreachable'
  | 'database_read_only'
  | 'schema_older'
  | 'schema_newer'
  | 'schema_changed'

interface ReadinessOptions {
  readonly database: ConstructorParameters<typeof DatabaseProbe>[0]
  /** Of the migrations that this version brings. */
  readonly folder: string
  readonly version: string
  monotonicMs(): number
}

const limitMs = 1000
/** How long one look is reused: whoever asks more often asks the database nothing. */
const freshMs = 1000

interface Schema {
  readonly is_read_only: boolean
  /** Applied ones as `id:sha256`, in order. */
  readonly applied: readonly string[]
  /** Versions that brought what comes after ours. */
  readonly newer: readonly (string | null)[]
}

/**
 * Whether a process can serve now. Apart from health, which tells strangers how the parts are: this decides whether a proxy
 * sends requests here, so Redis does not count, without which everything that matters works.
 */
export class Readiness {
  readonly #options: ReadinessOptions
  readonly #probe: DatabaseProbe
  #phase: 'starting' | 'serving' | 'draining' = 'starting'
  #looked: Promise<NotReady | undefined> | undefined
  #lookedAt = 0
  #known: Promise<readonly string[]> | undefined

  constructor(options: ReadinessOptions) {
    this.#options = options
    this.#probe = new DatabaseProbe(options.database)
  }

  serve(): void {
    this.#phase = 'serving'
  }

  drain(): void {
    this.#phase = 'draining'
  }

  get is_draining(): boolean {
    return this.#phase === 'draining'
  }

  /** Nothing if it can serve. */
  async check(): Promise<NotReady | undefined> {
    if (this.#phase !== 'serving') return this.#phase
    const now = this.#options.monotonicMs()
    if (!this.#looked || now - this.#lookedAt >= freshMs) {
      this.#lookedAt = now
      this.#looked = this.#look()
    }
    const found = await this.#looked
    // It may have been told to stop meanwhile.
    return this.#phase === 'serving' ? found : this.#phase
  }

  close(): Promise<void> {
    return this.#probe.close()
  }

  async #look(): Promise<NotReady | undefined> {
    this.#known ??= readMigrations(this.#options.folder).then((all) =>
      all.map(({ id, sha256 }) => `${id}:${sha256}`),
    )
    const known = await this.#known
    const schema = await this.#probe.ask(limitMs, (client) => readSchema(client, known.length))
    return schema ? deriveReadiness(schema, known, this.#options.version) : 'database_unreachable'
  }
}

async function readSchema(client: pg.Client, known: number): Promise<Schema> {
  try {
    const { rows } = await client.query<Schema>(
      `select current_setting('transaction_read_only') = 'on' as is_read_only,
              coalesce(array_agg(id || ':' || sha256 order by id) filter (where id <= $1), '{}') as applied,
              coalesce(array_agg(version) filter (where id > $1), '{}') as newer
       from platform.migrations`,
      [known],
    )
    const [schema] = rows
    if (schema) return schema
  } catch (error) {
    // Nobody has migrated it, or the rights of this role are yet to come.
    if (!(error instanceof pg.DatabaseError) || !unmigrated.includes(error.code ?? '')) throw error
  }
  return { is_read_only: false, applied: [], newer: [] }
}

/** No such schema, no such table, no such column, no right to read it. */
const unmigrated = ['3F000', '42P01', '42703', '42501']

/** A newer schema is fine as long as this version can live with it: a release rolls out over running processes. */
export function deriveReadiness(
  { is_read_only, applied, newer }: Schema,
  known: readonly string[],
  version: string,
): NotReady | undefined {
  if (applied.length < known.length) return 'schema_older'
  if (applied.some((each, at) => each !== known[at])) return 'schema_changed'
  if (newer.some((each) => !isOneMinorAhead(version, each))) return 'schema_newer'
  return is_read_only ? 'database_read_only' : undefined
}
