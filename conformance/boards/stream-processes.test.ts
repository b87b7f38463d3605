import { once } from 'node:events'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { productLimits } from '@crewhall/testkit/limits.ts'
import { newToken } from '@crewhall/testkit/people.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Board, BoardWorkspace } from './board-workspace.ts'
import { Listener, streamPath } from './stream-calls.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let board: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
})

async function listen(url: string, token = workspace.token): Promise<Listener> {
  const listener = await Listener.open(url, `board_ids=${board.id}`, { headers: bearer(token) })
  onTestFinished(() => listener.close())
  return listener.ready()
}
/** Of another workspace, on a board of its own. */
async function listenElsewhere(url: string): Promise<Listener> {
  const other = await BoardWorkspace.open(server)
  const query = `board_ids=${(await other.board()).id}`
  const listener = await Listener.open(url, query, { headers: bearer(other.token) })
  onTestFinished(() => listener.close())
  return listener.ready()
}
async function refused(url: string, token = workspace.token) {
  const response = await fetch(`${url}${streamPath(`board_ids=${board.id}`)}`, { headers: bearer(token) })
  return [response.status, await response.json(), response.headers.get('retry-after')]
}
/** How long a change through the first process takes to arrive. */
async function delayOf(listener: Listener): Promise<number> {
  const before = listener.entries.length
  await workspace.card(board)
  const began = performance.now()
  await listener.count(before + 1)
  return performance.now() - began
}

test('a change through one process is told by another at once', async () => {
  const other = await server.start('api')
  const listener = await listen(other.url)
  // The line to Redis stands when the first wake-up came through it.
  await waitFor(async () => (await delayOf(listener)) < 500, 30_000)
  const delays: number[] = []
  for (let n = 0; n < 20; n += 1) delays.push(await delayOf(listener))
  console.log(`across processes: median ${delays.toSorted((a, b) => a - b)[10]?.toFixed(1)} ms`)
  // Without wake-ups, half of the rounds would wait for the next look, seconds away; a machine that stalls delays a few.
  expect(delays.filter((ms) => ms > 1000).length).toBeLessThan(5)
})

const redisThrough = (proxy: FaultProxy) => ({
  ...productLimits,
  REDIS_URL: proxy.through(readServiceFacts().redis.url),
})

test.each(['reset', 'half_open'] as const)(
  'a process whose line to Redis is broken (%s) tells of a change through another within seconds',
  async (kind) => {
    const proxy = await startFaultProxy(readServiceFacts().redis)
    onTestFinished(() => proxy.close())
    const other = await server.start('api', redisThrough(proxy))
    const listener = await listen(other.url)
    await waitFor(async () => (await delayOf(listener)) < 500, 30_000)
    proxy.set({ kind })
    expect(await delayOf(listener)).toBeLessThan(15_000)
    proxy.set({ kind: 'none' })
    // It comes back by itself, and then wake-ups do.
    await waitFor(async () => (await delayOf(listener)) < 500 && (await delayOf(listener)) < 500, 40_000)
  },
  120_000,
)

test('a stream outlives an outage of the database, and tells what happened meanwhile', async () => {
  const proxy = await startFaultProxy(readServiceFacts().postgres)
  onTestFinished(() => proxy.close())
  const other = await server.start('api', {
    ...productLimits,
    DATABASE_URL: proxy.through(server.database.url),
  })
  const listener = await listen(other.url)
  proxy.set({ kind: 'reset' })
  for (let n = 0; n < 3; n += 1) await workspace.card(board)
  await waitFor(() => other.logs().some(({ msg }) => msg === 'stream paused; retrying'), 20_000)
  expect(listener.entries).toEqual([])
  proxy.set({ kind: 'none' })
  await listener.count(3)
  expect([listener.entries.length, listener.is_over]).toEqual([3, false])
})

test('its own changes are told at once when Redis is away', async () => {
  const api = await server.start('api', { REDIS_URL: 'redis://127.0.0.1:1' })
  const listener = await listen(api.url)
  const write = async () => {
    const began = performance.now()
    const before = listener.entries.length
    const response = await fetch(`${api.url}/api/v1/board/boards/${board.id}/tasks`, {
      method: 'POST',
      headers: { ...bearer(workspace.token), 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'A card' }),
    })
    expect(response.status).toBe(201)
    await listener.count(before + 1)
    return performance.now() - began
  }
  const delays: number[] = []
  for (let n = 0; n < 5; n += 1) delays.push(await write())
  expect(delays.toSorted((a, b) => a - b)[2]).toBeLessThan(1000)
})

test('beyond its limit of streams a process answers 503, and a place that gets free is given again', async () => {
  const api = await server.start('api', { HTTP_MAX_STREAMS: '2' })
  const [first] = [await listen(api.url), await listen(api.url)]
  expect(await refused(api.url)).toEqual([503, { detail: 'The service is overloaded' }, '1'])
  first.close()
  const again = await waitFor(() => listen(api.url), 20_000)
  expect(again.is_over).toBe(false)
})

test('beyond its limit of streams a caller gets 429, and others do not', async () => {
  const api = await server.start('api', { HTTP_MAX_STREAMS_PER_CALLER: '1' })
  await listen(api.url)
  const [status, body] = await refused(api.url)
  expect([status, body]).toEqual([429, { detail: 'Too many open streams for this caller' }])
  const { token } = await newToken((path, init) => server.get(path, init), workspace.owner, [])
  expect((await listen(api.url, token)).is_over).toBe(false)
})

test('S12: beyond its limit of streams a workspace gets 429 whatever its tokens, and other workspaces do not', async () => {
  const api = await server.start('api', { HTTP_MAX_STREAMS_PER_WORKSPACE: '2' })
  const get = (path: string, init?: RequestInit) => server.get(path, init)
  const { token } = await newToken(get, workspace.owner, [])
  await listen(api.url)
  await listen(api.url, token)
  const [status, body] = await refused(api.url)
  expect([status, body]).toEqual([429, { detail: 'Too many open streams for this workspace' }])
  expect((await listenElsewhere(api.url)).is_over).toBe(false)
})

test('S12: one workspace does not get the last streams of a process; another one does', async () => {
  const api = await server.start('api', { HTTP_MAX_STREAMS: '5' })
  for (let n = 0; n < 4; n += 1) await listen(api.url)
  expect(await refused(api.url)).toEqual([503, { detail: 'The service is overloaded' }, '1'])
  expect((await listenElsewhere(api.url)).is_over).toBe(false)
})

test('K11: streams are told to come back at different times', async () => {
  const streams = await Promise.all(Array.from({ length: 12 }, () => listen(server.api.url)))
  const waits = streams.map((stream) => stream.retry_ms)
  expect(new Set(waits).size).toBeGreaterThan(6)
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(1000)
  expect(Math.max(...waits)).toBeLessThan(5000)
})

test('streams that wait are not counted as requests in flight', async () => {
  const api = await server.start('api', { HTTP_MAX_IN_FLIGHT: '1' })
  const streams = [await listen(api.url), await listen(api.url), await listen(api.url)]
  expect((await fetch(`${api.url}/api/v1/system/info`)).status).toBe(200)
  for (const stream of streams) stream.close()
})

test('a process that is told to stop ends its streams at once, and ends with 0', async () => {
  const api = await server.start('api')
  const listener = await listen(api.url)
  const began = performance.now()
  const exited = once(api.child, 'exit')
  api.child.kill('SIGTERM')
  await listener.over(9000)
  expect((await exited)[0]).toBe(0)
  // Requests in flight would have been given ten seconds.
  expect(performance.now() - began).toBeLessThan(9500)
})
