import pg from 'pg'
import { migrationLock } from '#platform/db/migrate.ts'

/** Rights, and the table on which the product has all but these. */
export type Narrowed = readonly (readonly [rights: string, table: string])[]

/** What the product may only read, and what it may add to and never change. */
const narrowed: Narrowed = [
  ['insert, update, delete', 'platform.migrations'],
  ['insert, update, delete', 'platform.horizons'],
  ['insert, update, delete', 'platform.timelines'],
  ['update, delete', 'platform.audit_entries'],
  ['update', 'platform.workspace_events'],
  ['update, delete', 'identity.platform_entries'],
  ['insert, update, delete', 'identity.platform_agents'],
]

/**
 * Lets the role of the product read and write what its owner has made, and nothing more: it cannot alter a
 * table, drop a policy, rewrite the audit or touch the list of migrations. Runs after every migration, so nothing is forgotten.
 * Only tests narrow as another version does.
 */
export async function grantToProduct(ownerUrl: string, appRole: string, less = narrowed): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'crewhall-migrate' })
  await client.connect()
  try {
    // Two that grant at once get in each other's way; a migration takes the same lock.
    await client.query(`set lock_timeout = '60s'`)
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    const { rows } = await client.query<{ schema: string; own: string }>(
      `select nspname as schema, current_user as own from pg_namespace where nspowner = current_user::regrole`,
    )
    if (rows[0]?.own === appRole) return
    const role = client.escapeIdentifier(appRole)
    for (const { schema } of rows) {
      const name = client.escapeIdentifier(schema)
      await client.query(`grant usage on schema ${name} to ${role}`)
      await client.query(`grant select, insert, update, delete on all tables in schema ${name} to ${role}`)
      await client.query(`grant usage, select on all sequences in schema ${name} to ${role}`)
      await client.query(`grant execute on all functions in schema ${name} to ${role}`)
    }
    for (const [rights, table] of less) await client.query(`revoke ${rights} on ${table} from ${role}`)
    // Reached through their parents only, whose rights and policies hold for them. The job queue has partitions too, which
    // it uses by name; they have no policies.
    const partitions = await client.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class
       where relispartition and relrowsecurity and relowner = current_user::regrole`,
    )
    for (const { name } of partitions.rows) await client.query(`revoke all on table ${name} from ${role}`)
  } finally {
    await client.end()
  }
}
