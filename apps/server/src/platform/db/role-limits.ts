import pg from 'pg'
import type { Database } from '#platform/db/database.ts'
import { migrationLock } from '#platform/db/migrate.ts'
import { sql, statement } from '#platform/db/statement.ts'
import type { Config } from '../../config.ts'

/** By the name that PostgreSQL has for each, in its own unit. */
type RoleLimits = Readonly<Record<string, string>>

export const limitsOf = (config: Config): RoleLimits => ({
  TimeZone: 'UTC',
  statement_timeout: String(config.DATABASE_STATEMENT_TIMEOUT_MS),
  lock_timeout: String(config.DATABASE_LOCK_TIMEOUT_MS),
  idle_in_transaction_session_timeout: String(config.DATABASE_IDLE_TRANSACTION_TIMEOUT_MS),
})

/**
 * Gives the role of the product the limits of requests in this database: a pooler in transaction mode takes none when a
 * connection opens. A role may do this for itself, so it needs no further right.
 */
export async function setRoleLimits(url: string, limits: RoleLimits): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'crewhall-migrate' })
  await client.connect()
  try {
    await client.query(`set lock_timeout = '60s'`)
    await client.query('set statement_timeout = 0')
    // Two that alter a role at once get in each other's way.
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    const { rows } = await client.query<{ role: string; database: string }>(
      'select current_user as role, current_database() as database',
    )
    const [here] = rows
    if (!here) return
    const of = `${client.escapeIdentifier(here.role)} in database ${client.escapeIdentifier(here.database)}`
    for (const [name, value] of Object.entries(limits))
      await client.query(`alter role ${of} set ${name} = ${client.escapeLiteral(value)}`)
  } finally {
    await client.end()
  }
}

const settings = statement<{ names: readonly string[] }, { name: string; setting: string }>(
  ({ names }) => sql`select name, setting from pg_settings where name = any(${names}::text[]) order by name`,
)

/** What a connection of this pool has otherwise than it should. */
export async function findOtherLimits(
  database: Database,
  limits: RoleLimits,
): Promise<{ name: string; found: string; wanted: string }[]> {
  const rows = await database.statements.all(settings, { names: Object.keys(limits) })
  return rows.flatMap(({ name, setting: found }) => {
    const wanted = limits[name] ?? ''
    return found === wanted ? [] : [{ name, found, wanted }]
  })
}
