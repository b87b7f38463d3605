import { type Fault, type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Indexed, ReadingWorkspace } from '../../lessons/reading-world.ts'

const server = useServer('product')
const proxies: Partial<Record<Handle, FaultProxy>> = {}
type Handle = 'memory' | 'code_index'
let api: ServerProcess
let work: ReadingWorkspace
let project: Indexed

beforeAll(async () => {
  const { hostname, port } = new URL(server.database.url)
  const target = { host: hostname, port: Number(port) }
  const [memory, code_index] = await Promise.all([startFaultProxy(target), startFaultProxy(target)])
  Object.assign(proxies, { memory, code_index })
  api = await server.start('api', {
    MEMORY_DATABASE_URL: memory.through(server.database.url),
    CODE_INDEX_DATABASE_URL: code_index.through(server.database.url),
  })
  const through = {
    get: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init),
    sql: server.sql,
  }
  work = await ReadingWorkspace.open(through, await server.connection('superuser'))
  project = await work.indexed(
    ['src/a.ts', 'src/b.ts'],
    [{ kind: 'import', from: 'src/a.ts', to: 'src/b.ts' }],
  )
  await work.lesson(project.id, 'a/one', { anchors: ['src/b.ts'] })
})
afterAll(async () => {
  await Promise.all(Object.values(proxies).map((proxy) => proxy.close()))
})

const heal = () => {
  for (const proxy of Object.values(proxies)) proxy.set({ kind: 'none' })
}
const near = () => work.near(project.id, { paths: ['src/a.ts'] })
const isWell = async () => {
  const { status, body } = await near()
  return status === 200 && body.degraded === null && body.entries.length === 1
}
beforeEach(async () => {
  heal()
  await waitFor(isWell, 30_000)
})

/** By way of the main handle. */
async function expectOthersUnharmed(): Promise<void> {
  const told = await Promise.all([
    work.call('GET', '/me'),
    work.call('GET', '/system/health', undefined, null),
  ])
  expect(told.map(({ status }) => status)).toEqual([200, 200])
}

const faults: readonly [string, Fault][] = [
  ['refused', { kind: 'reset' }],
  ['dropped', { kind: 'drop' }],
  ['cut at each statement', { kind: 'cut', at: () => true }],
  ['frozen', { kind: 'freeze', at: () => true }],
]
const cases = (['code_index', 'memory'] as const).flatMap((handle) =>
  faults.map(([how, fault]) => [handle, how, fault] as const),
)
const clauses = { code_index: 'IDX-11', memory: 'IDX-12' }

test.each(cases.map(([handle, how, fault]) => [clauses[handle], handle, how, fault] as const))(
  '%s LES-41 LES-42 LES-G8: near says that %s is away when it is %s, and returns within 5 s of its return',
  { timeout: 120_000 },
  async (_, handle, __, fault) => {
    proxies[handle]?.set(fault)
    const begun = performance.now()
    const pending = near()
    await expectOthersUnharmed()
    const { status, body } = await pending
    const tookMs = performance.now() - begun
    // What was reached is known when only the lessons are away: both files, their folder, and the root.
    const reached_nodes = handle === 'memory' ? 4 : 0
    const none = { entries: [], damped: [], truncated: false }
    expect([status, body]).toEqual([200, { ...none, reached_nodes, degraded: `${handle}_unavailable` }])
    expect(tookMs).toBeLessThan(3000)
    // The same for as long as it lasts, also for many at once.
    const more = await Promise.all(Array.from({ length: 12 }, near))
    expect(more.map(({ status, body }) => [status, body.degraded])).toEqual(
      more.map(() => [200, `${handle}_unavailable`]),
    )
    await expectOthersUnharmed()
    heal()
    await waitFor(isWell, 5000)
  },
)

test('IDX-12 LES-11 LES-27: while both are away, who calls and what they ask for is judged all the same', async () => {
  for (const proxy of Object.values(proxies)) proxy.set({ kind: 'reset' })
  expect((await near()).body.degraded).toBe('code_index_unavailable')
  expect((await work.near(project.id, {})).status).toBe(422)
  expect((await work.near('00000000-0000-4000-8000-000000000000', { paths: ['a.ts'] })).status).toBe(404)
  expect((await work.near(project.id, { paths: ['a.ts'] }, { token: 'chp_nobody' })).status).toBe(401)
})
