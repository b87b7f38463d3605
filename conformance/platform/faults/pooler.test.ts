import { readServiceFacts } from '@crewhall/services/facts.ts'
import { connectTo } from '@crewhall/testkit/databases.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { runProcess, type ServerProcess } from '@crewhall/testkit/server-process.ts'
import { type StrictPooler, startStrictPooler } from '@crewhall/testkit/strict-pooler.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BoardWorkspace } from '../../boards/board-workspace.ts'

const { postgres } = readServiceFacts()
const inside = await freePort()
const server = useServer('product')
let pooler: StrictPooler
let pooled: Record<string, string>
let api: ServerProcess

beforeAll(async () => {
  pooler = await startStrictPooler(postgres)
  pooled = {
    DATABASE_URL: pooler.through(server.database.url),
    DATABASE_DIRECT_URL: server.database.url,
    DATABASE_STATEMENT_TIMEOUT_MS: '4321',
    DATABASE_LOCK_TIMEOUT_MS: '1234',
    DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: '9876',
  }
})
afterAll(() => pooler?.close())

const limitMessage = 'limits of the role differ from the settings: migrate, then RECONNECT the pooler'
const limitsOf = async (url: string) => {
  const client = await connectTo(url)
  try {
    const { rows } = await client.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings where name = any($1) order by name`,
      [['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'TimeZone']],
    )
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
  } finally {
    await client.end()
  }
}

test('behind a pooler, an API whose role has no limits yet says so, and migrations set them on the role', async () => {
  const early = await server.start('api', pooled)
  await waitFor(() => early.logs().some(({ msg }) => msg === limitMessage), 20_000)
  await early.stop()
  await runProcess({
    entry: 'apps/server/src/migrate.ts',
    database_url: server.database.url,
    env: { ...pooled, DATABASE_OWNER_URL: server.database.owner_url },
  })
  expect(await limitsOf(server.database.url)).toEqual({
    TimeZone: 'UTC',
    statement_timeout: '4321',
    lock_timeout: '1234',
    idle_in_transaction_session_timeout: '9876',
  })
  expect((await limitsOf(server.database.owner_url)).statement_timeout).toBe('0')
})

test('requests go through the pooler, and all that needs a session of its own goes past it', async () => {
  api = await server.start('api', { ...pooled, METRICS_PORT: String(inside) })
  const workspace = await BoardWorkspace.open({
    ...server,
    get: (path, init) => fetch(`${api.url}${path}`, init),
  })
  const board = await workspace.board()
  expect(board.columns.length).toBeGreaterThan(0)
  expect((await fetch(`http://127.0.0.1:${inside}/ready`)).status).toBe(200)
  expect((await fetch(`${api.url}/api/v1/system/health`)).status).toBe(200)
  expect([...pooler.refused]).toEqual([])
  expect([...pooler.names].sort()).toEqual(['crewhall-api', 'crewhall-probe'])
  expect(api.logs().filter(({ msg }) => msg === limitMessage)).toEqual([])
})

test('a worker listens and works past the pooler, without the limit of requests on locks', async () => {
  const worker = await server.start('worker', pooled)
  const rows = await server.sql<{ application_name: string }>(
    `select distinct application_name from pg_stat_activity where datname = current_database() and application_name like 'crewhall-%'`,
  )
  expect(rows.map(({ application_name }) => application_name)).toContain('crewhall-jobs-worker')
  expect([...pooler.names].sort()).toEqual(['crewhall-api', 'crewhall-probe'])
  await worker.stop()
})

test('without the direct address, a pooler refuses the API, so the setting is what lets it in', async () => {
  const { DATABASE_DIRECT_URL: _, ...rest } = pooled
  const naive = await server.start('api', rest)
  expect((await fetch(`${naive.url}/api/v1/system/health`)).status).toBe(503)
  expect([...pooler.refused]).toEqual(expect.arrayContaining(['statement_timeout']))
  await naive.stop()
})
