import type pg from 'pg'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { cloneDatabase, type TestDatabase } from './databases.ts'
import { given } from './given-address.ts'
import { useGivenServer } from './given-server.ts'
import { complaintsOf, type ServerProcess, startProcess } from './server-process.ts'
import { noteKept, noteStarted } from './started-servers.ts'
import { type Template, templateName, testRun } from './templates.ts'
import { entries } from './test-server.ts'
import { accessTo, type DatabaseRole, type Sql } from './world/database-access.ts'

interface Running {
  readonly database: TestDatabase
  readonly api: ServerProcess
}

export interface SharedServer {
  readonly database: TestDatabase
  readonly api: { readonly url: string }
  /** Rows of one statement, with the tables of every workspace open. */
  readonly sql: Sql
  /** A connection of its own, for locks, transactions and what only the owner may do. It ends with the file. */
  connection(role: DatabaseRole): Promise<pg.Client>
  /** `fetch` on a path of the server. */
  get(path: string, init?: RequestInit): Promise<Response>
  /** Starts another API process on the same database, which ends with the file. */
  start(kind: 'api', env?: Record<string, string>): Promise<ServerProcess>
}

/** One of each template for the files of this worker, which run one after the other. */
const running = new Map<Template, Running>()

/**
 * An API process on a database that other test files use before and after this one, because a start costs seconds:
 * for files that work in workspaces of their own and touch neither definitions, settings, clock nor log. When a test
 * fails, the next file gets a new one, and the database is kept and named in the output of the run.
 */
export function useSharedServer(template: Template): SharedServer {
  if (given) return useGivenServer(given, template)
  const need = (): Running => {
    const found = running.get(template)
    if (!found) throw new Error('the server is up only while tests run')
    return found
  }
  beforeAll(async () => {
    if (!running.has(template)) running.set(template, await start(template))
  })
  const access = accessTo(() => need().database)
  const own: ServerProcess[] = []
  let failed = false
  afterEach(({ task }) => {
    failed ||= task.result?.state === 'fail'
  })
  afterAll(async () => {
    await access.close()
    await Promise.all(own.map((process) => process.stop()))
    if (!failed) return
    const { api, database } = need()
    running.delete(template)
    noteKept(testRun(), database.name)
    await api.stop()
    console.log([...complaintsOf(api), `kept database ${database.name}`].join('\n'))
  })
  return {
    get database() {
      return need().database
    },
    get api() {
      return need().api
    },
    sql: access.sql,
    connection: access.connection,
    get: (path, init) => fetch(`${need().api.url}${path}`, init),
    async start(kind, env = {}) {
      const entry = entries[template][kind]
      const process = await startProcess({ entry, database_url: need().database.url, env })
      own.push(process)
      return process
    },
  }
}

async function start(template: Template): Promise<Running> {
  const database = await cloneDatabase(templateName(template))
  const api = await startProcess({ entry: entries[template].api, database_url: database.url })
  noteStarted(testRun(), api.pid, database.name)
  return { database, api }
}
