import type pg from 'pg'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { cloneDatabase, type TestDatabase } from './databases.ts'
import { given } from './given-address.ts'
import { useGivenServer } from './given-server.ts'
import { complaintsOf, type ServerProcess, startProcess } from './server-process.ts'
import { type Template, templateName } from './templates.ts'
import { verifyAfterTests } from './verify-data.ts'
import { accessTo, type DatabaseRole, type Sql } from './world/database-access.ts'

export const entries = {
  product: {
    api: 'apps/server/src/api.ts',
    worker: 'apps/server/src/worker.ts',
    hub: 'apps/server/src/hub.ts',
  },
  probe: {
    api: 'apps/server/test/probe/probe-api.ts',
    worker: 'apps/server/test/probe/probe-worker.ts',
    hub: 'apps/server/src/hub.ts',
  },
} as const

type ProcessKind = keyof (typeof entries)['product']

export interface TestServer {
  readonly database: TestDatabase
  readonly api: ServerProcess
  /** Rows of one statement, with the tables of every workspace open. */
  readonly sql: Sql
  /** A connection of its own, for locks, transactions and what only the owner may do. It ends with the file. */
  connection(role: DatabaseRole): Promise<pg.Client>
  /** `fetch` on a path of the server. */
  get(path: string, init?: RequestInit): Promise<Response>
  /** Starts another process on the same database. */
  start(kind: ProcessKind, env?: Record<string, string>): Promise<ServerProcess>
}

/**
 * A started API process on a database of its own, for one test file. When a test of the file failed, the
 * database is kept and named in the output of the run.
 */
export function useServer(template: Template, env: Record<string, string> = {}): TestServer {
  if (given) return useGivenServer(given, template, env)
  let database: TestDatabase | undefined
  let api: ServerProcess | undefined
  const others: ServerProcess[] = []
  const need = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the server is up only while tests run')
    return value
  }
  const start = async (kind: ProcessKind, more: Record<string, string> = {}) => {
    const entry = entries[template][kind]
    return startProcess({ entry, database_url: need(database).url, env: { ...env, ...more } })
  }
  const access = accessTo(() => need(database))
  beforeAll(async () => {
    database = await cloneDatabase(templateName(template))
    api = await start('api')
  })
  let failed = false
  afterEach(({ task }) => {
    failed ||= task.result?.state === 'fail'
  })
  afterAll(async () => {
    await access.close()
    // One that a failed test has left frozen would never hear that it should stop.
    await Promise.all([api, ...others].map((process) => (failed ? process?.kill() : process?.stop())))
    if (failed) console.log([...complaintsOf(api), `kept database ${database?.name}`].join('\n'))
    else await database?.drop()
  })
  verifyAfterTests(() => need(database))
  return {
    get database() {
      return need(database)
    },
    get api() {
      return need(api)
    },
    sql: access.sql,
    connection: access.connection,
    get: (path, init) => fetch(`${need(api).url}${path}`, init),
    async start(kind, more) {
      const process = await start(kind, more)
      others.push(process)
      return process
    },
  }
}
