import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Memory, MemoryWorkspace } from '../../memory/memory-world.ts'

// What the handle does at each statement stands in memory-handle.test.ts, on a route of the probe.
const deadlineMs = 3000
const server = useServer('product')
let proxy: FaultProxy
let api: ServerProcess
let workspace: MemoryWorkspace
let memory: Memory

beforeAll(async () => {
  const { hostname, port } = new URL(server.database.url)
  proxy = await startFaultProxy({ host: hostname, port: Number(port) })
  api = await server.start('api', {
    MEMORY_DATABASE_URL: proxy.through(server.database.url),
    MEMORY_DEADLINE_MS: String(deadlineMs),
    MEMORY_DATABASE_POOL_SIZE: '24',
  })
  workspace = await MemoryWorkspace.open({
    get: (path, init) => fetch(`${api.url}${path}`, init),
    sql: server.sql,
  })
  memory = await workspace.add()
})
afterAll(() => proxy?.close())

const heal = () => proxy.set({ kind: 'none' })
beforeEach(async () => {
  heal()
  // Connections that the last fault has broken are replaced.
  await waitFor(async () => (await workspace.search()).status === 200, 30_000)
})

/** Every route of memory, each with a request that is done while nothing is wrong. */
const routes = (): readonly [method: string, path: string, body?: object][] => [
  ['POST', `/agents/${workspace.agent}/context?query=build`],
  ['POST', `/agents/${workspace.agent}/context/relevant?query=build`],
  ['POST', '/memories', { agent_id: workspace.agent, kind: 'fact', title: 'Late', body: 'Late' }],
  ['GET', '/memories/stats'],
  ['GET', '/memories'],
  ['GET', '/memories/expiring'],
  ['GET', `/memories/${memory.id}`],
  ['GET', `/memories/${memory.id}/history`],
  ['PATCH', `/memories/${memory.id}`, { title: 'Late' }],
  ['POST', `/memories/${memory.id}/verify`, {}],
  ['POST', `/memories/${memory.id}/restore`, { version: 1 }],
  ['POST', `/memories/${memory.id}/unmerge`, {}],
  ['DELETE', `/memories/${memory.id}`],
]
const callAll = () => Promise.all(routes().map(([method, path, body]) => workspace.call(method, path, body)))
const all = <T>(value: T) => routes().map(() => value)

/** By way of the main handle. */
async function expectOthersUnharmed(): Promise<void> {
  const headers = { authorization: `Bearer ${workspace.token}` }
  const [me, health] = await Promise.all([
    fetch(`${api.url}/api/v1/me`, { headers }),
    fetch(`${api.url}/api/v1/system/health`),
  ])
  expect([me.status, health.status]).toEqual([200, 200])
}

const expectNothingWritten = async () => {
  const rows = await server.sql<{ title: string }>('select title from memory.memories where brand_id = $1', [
    workspace.brand_id,
  ])
  expect(rows).toEqual([{ title: memory.title }])
  expect((await workspace.call<Memory>('GET', `/memories/${memory.id}`)).body).toEqual({
    ...memory,
    possible_duplicate_of: undefined,
  })
}

test('MEMO-66: every memory route returns 502 while the memory service cannot be reached', async () => {
  proxy.set({ kind: 'reset' })
  const told = await callAll()
  expect(told.map(({ status }) => status)).toEqual(all(502))
  expect(told.map(({ body }) => body)).toEqual(all({ detail: 'The memory service cannot be reached' }))
  await expectOthersUnharmed()
  heal()
  await waitFor(async () => (await workspace.search()).status === 200, 30_000)
  await expectNothingWritten()
})

test('MEMO-67: every memory route returns 504 without a response in time, and nothing is written afterwards', async () => {
  proxy.set({ kind: 'freeze', at: () => true })
  const pending = callAll()
  await expectOthersUnharmed()
  const told = await pending
  expect(told.map(({ status }) => status)).toEqual(all(504))
  heal()
  await waitFor(async () => {
    const open = await server.sql(
      `select from pg_stat_activity where datname = current_database()
         and application_name = 'crewhall-api-memory' and xact_start is not null`,
    )
    return open.length === 0
  }, 30_000)
  await waitFor(async () => (await workspace.search()).status === 200, 30_000)
  await expectNothingWritten()
})

test('MEMO-67: a create whose COMMIT arrives after the 504 writes nothing', async () => {
  proxy.set({ kind: 'freeze', at: (sent) => sent.includes('commit\0') })
  const { status } = await workspace.create({ title: 'Late' })
  expect(status).toBe(504)
  heal()
  await waitFor(async () => (await workspace.search()).status === 200, 30_000)
  await expectNothingWritten()
})
