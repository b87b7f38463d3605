import { readServiceFacts } from '@crewhall/services/facts.ts'
import type pg from 'pg'
import { cloneDatabase, type TestDatabase } from '../databases.ts'
import { type ServerProcess, startProcess } from '../server-process.ts'
import { templateName } from '../templates.ts'
import { entries } from '../test-server.ts'
import { connect } from '../world/database-access.ts'
import { type StatementTap, startStatementTap } from './tap.ts'

export interface TappedServer {
  readonly database: TestDatabase
  readonly api: ServerProcess
  readonly tap: StatementTap
  /** A connection as superuser, past the tap. */
  readonly admin: pg.Client
  get(path: string, init?: RequestInit): Promise<Response>
  /** What no cell is about, where `get` is something else than `fetch`. */
  readonly plain?: TappedServer['get']
  close(): Promise<void>
}

/** The product on a database of its own, with a tap on what it asks of Postgres. */
export async function startTappedServer(): Promise<TappedServer> {
  const { postgres } = readServiceFacts()
  const database = await cloneDatabase(templateName('product'))
  const tap = await startStatementTap(postgres)
  const api = await startProcess({ entry: entries.product.api, database_url: tap.through(database.url) })
  const admin = await connect(database, 'superuser')
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
