import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer, type Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outside } from '@crewhall/testkit/outside.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDoor, DoorClosed, throughDoor } from '#platform/gate/door.ts'
import { doorIn, outletIn } from '#platform/gate/gate-options.ts'
import { openOutlet } from '#platform/gate/outlet.ts'
import { createRelay } from '#platform/gate/relay.ts'
import { KeptCalls } from '#platform/outbound/kept-calls.ts'

let folder = ''
const servers: Server[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gate-'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) server.close()
  rmSync(folder, { recursive: true })
})

async function listening<S extends Server>(server: S, at: string | number): Promise<number> {
  servers.push(server)
  if (typeof at === 'string') server.listen(at)
  else server.listen(at, '127.0.0.1')
  await once(server, 'listening')
  return typeof at === 'string' ? 0 : (server.address() as AddressInfo).port
}
const never = new AbortController().signal

test('a door connects to addresses of its network, and says why it does not', async () => {
  await listening(createDoor(['127.0.0.0/24']), doorIn(folder))
  const echo = createServer((socket) => socket.pipe(socket))
  const port = await listening(echo, 0)
  const open = await throughDoor(doorIn(folder), { host: '127.0.0.1', port }, never)
  if (!(open instanceof Socket)) throw new Error(open)
  open.end('hello')
  expect(String((await open.toArray()).join(''))).toBe('hello')
  const closed = createServer()
  const gone = await listening(closed, 0)
  closed.close()
  const others = [
    { host: '127.0.0.1', port: gone },
    { host: '127.1.0.1', port },
    { host: 'localhost', port },
    { host: '::ffff:127.1.0.1', port },
  ]
  const verdicts = await Promise.all(others.map((each) => throughDoor(doorIn(folder), each, never)))
  expect(verdicts).toEqual(['refused', 'forbidden', 'forbidden', 'forbidden'])
})

test('calls go through the door and nowhere else, over connections that are kept', async () => {
  let lines = 0
  const behind = createHttpServer((asked, answer) => answer.end(asked.url))
  behind.on('connection', () => {
    lines += 1
  })
  const port = await listening(behind, 0)
  const networks = ['127.0.0.0/24']
  const calls = new KeptCalls({ networks, most: 5, idle_ms: 5000, door: { path: doorIn(folder), networks } })
  const get = (path: string) =>
    calls.get(outside, { base_url: `http://127.0.0.1:${port}`, path, limit_ms: 5000 })
  expect(await get('/closed')).toEqual({ failure: 'door' })
  await listening(createDoor(networks), doorIn(folder))
  for (const path of ['/a', '/b']) expect(await get(path)).toMatchObject({ status: 200 })
  expect(lines).toBe(1)
  calls.close()
})

test('a door that is not there is no fault of who is behind it', async () => {
  const going = throughDoor(doorIn(folder), { host: '127.0.0.1', port: 1 }, never)
  await expect(going).rejects.toThrow(DoorClosed)
})

test('a relay passes one path on, as it was sent, and nothing else', async () => {
  const seen: { url: string | undefined; headers: IncomingMessage['headers']; body: string }[] = []
  const api = createHttpServer(async (asked, answer) => {
    seen.push({ url: asked.url, headers: asked.headers, body: (await asked.toArray()).join('') })
    answer
      .writeHead(410, { 'content-type': 'application/json', 'set-cookie': 'a=b' })
      .end('{"detail":"gone"}')
  })
  const apiPort = await listening(api, 0)
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  servers.push(await openOutlet(outletIn(folder), `http://127.0.0.1:${apiPort}`, owner))
  const options = {
    folder,
    address: '',
    port: 0,
    path: '/api/beat',
    api_host: 'api.example.com',
    networks: [],
  }
  const port = await listening(createRelay(options), 0)
  const send = (path: string, init: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init)
  const headers = { 'content-type': 'application/json', signature: 's', cookie: 'c', authorization: 'a' }

  const passed = await send('/api/beat', { method: 'POST', headers, body: '{"a":1}' })
  expect([passed.status, await passed.json(), passed.headers.get('set-cookie')]).toEqual([
    410,
    { detail: 'gone' },
    null,
  ])
  expect(seen).toMatchObject([
    { url: '/api/beat', body: '{"a":1}', headers: { host: 'api.example.com', signature: 's' } },
  ])
  expect(seen[0]?.headers).not.toHaveProperty('cookie')
  expect(seen[0]?.headers).not.toHaveProperty('authorization')

  const large = 'x'.repeat(65 * 1024)
  const statuses = [
    (await send('/api/beat', { headers })).status,
    (await send('/api/beat?a', { method: 'POST', headers, body: '{}' })).status,
    (await send('/api/other', { method: 'POST', headers, body: '{}' })).status,
    (await send('/api/beat', { method: 'POST', headers, body: large }).catch(() => ({ status: 413 }))).status,
  ]
  expect(statuses).toEqual([404, 404, 404, 413])
  expect(seen).toHaveLength(1)
  api.close()
  api.closeAllConnections()
  expect((await send('/api/beat', { method: 'POST', headers, body: '{}' })).status).toBe(502)
})
