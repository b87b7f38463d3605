import pg from 'pg'
import { adminUrl, connectTo, type TestDatabase } from '../databases.ts'

export type DatabaseRole = 'application' | 'owner' | 'superuser'

/** Rows of one statement, with the tables of every workspace open. */
export type Sql = <Row = Record<string, unknown>>(text: string, values?: readonly unknown[]) => Promise<Row[]>

export interface DatabaseAccess {
  readonly sql: Sql
  /** A connection of its own, for locks, transactions and what only the owner may do. It ends with the file. */
  connection(role: DatabaseRole): Promise<pg.Client>
  close(): Promise<void>
}

/** How a test file reaches its database past the API. Servers have one and close it. */
export function accessTo(database: () => TestDatabase): DatabaseAccess {
  let pool: pg.Pool | undefined
  const open = new Set<pg.Client>()
  return {
    async sql<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
      pool ??= openPool(database().url)
      return (await pool.query(text, [...values])).rows
    },
    async connection(role) {
      const client = await connect(database(), role)
      open.add(client)
      client.once('end', () => open.delete(client))
      return client
    },
    async close() {
      await Promise.all([...open].map((client) => client.end()))
      await pool?.end()
      pool = undefined
    },
  }
}

function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 5, options: '-c app.system=on' })
  // Tests cut connections; an idle one that was cut is replaced.
  pool.on('error', () => {})
  return pool
}

/** A connection that its opener has to end. */
export const connect = ({ name, url, owner_url }: TestDatabase, role: DatabaseRole): Promise<pg.Client> =>
  connectTo({ application: url, owner: owner_url, superuser: adminUrl(name) }[role])
