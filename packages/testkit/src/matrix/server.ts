import { readServiceFacts } from '@crewhall/services/facts.ts'
import pg from 'pg'
import { cloneDatabase, type TestDatabase } from '../databases.ts'
import { type ServerProcess, startProcess } from '../server-process.ts'
import { templateName } from '../templates.ts'
import { entries } from '../test-server.ts'
import { type StatementTap, startStatementTap } from './tap.ts'

export interface TappedServer {
  readonly database: TestDatabase
  readonly api: ServerProcess
  readonly tap: StatementTap
  /** A connection as superuser, past the tap. */
  readonly admin: pg.Client
  get(path: string, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

/** The product on a database of its own, with a tap on what it asks of Postgres. */
export async function startTappedServer(): Promise<TappedServer> {
  const { postgres } = readServiceFacts()
  const database = await cloneDatabase(templateName('product'))
  const tap = await startStatementTap(postgres)
  const api = await startProcess({ entry: entries.product.api, database_url: tap.through(database.url) })
  const admin = await openClient(database, 'superuser')
  return {
    database,
    api,
    tap,
    admin,
    get: (path, init) => fetch(`${api.url}${path}`, init),
    async close() {
      await api.stop()
      await tap.close()
      await admin.end()
      await database.drop()
    },
  }
}

/** A connection to that database, as the application or as superuser. */
export async function openClient(
  { name, url }: TestDatabase,
  role: 'application' | 'superuser',
): Promise<pg.Client> {
  const { admin_url } = readServiceFacts().postgres
  const address =
    role === 'application' ? url : Object.assign(new URL(admin_url), { pathname: `/${name}` }).href
  const client = new pg.Client(address)
  await client.connect()
  return client
}
