import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { hostileUrls } from '@crewhall/testkit/hostile/hostile-urls.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterEach, expect, test } from 'vitest'
import { KeptCalls } from '#platform/outbound/kept-calls.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function listen(server: TcpServer): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
async function receiver(answer: RequestListener) {
  const server: Server = createServer(answer)
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  closing.push(() => server.closeAllConnections())
  return { server, base_url: await listen(server), connections: () => connections }
}
function callsOf(more: { networks?: string[]; most?: number } = {}) {
  const calls = new KeptCalls({ networks: ['127.0.0.0/8'], most: 10, idle_ms: 60_000, ...more })
  closing.push(() => calls.close())
  return (base_url: string, limit_ms = 5000) => calls.get(outside, { base_url, path: '/v1/a?b=c', limit_ms })
}

test('calls of one address share a connection, with the path after that of the address', async () => {
  const paths: (string | undefined)[] = []
  const { base_url, connections } = await receiver((request, response) => {
    paths.push(request.url)
    response.end('{}')
  })
  const get = callsOf()
  for (const url of [base_url, `${base_url}/`, `${base_url}/under/`])
    expect(await get(url)).toMatchObject({ status: 200, body: Buffer.from('{}') })
  expect(paths).toEqual(['/v1/a?b=c', '/v1/a?b=c', '/under/v1/a?b=c'])
  expect(connections()).toBe(1)
})

test('no more connections are kept than are allowed', async () => {
  const receivers = await Promise.all([1, 2].map(() => receiver((_request, response) => response.end())))
  const get = callsOf({ most: 1 })
  for (let round = 0; round < 3; round += 1) await Promise.all(receivers.map(({ base_url }) => get(base_url)))
  const opened = receivers.map(({ connections }) => connections()).reduce((a, b) => a + b)
  expect(opened).toBeGreaterThan(2)
})

test('a connection that the other side has closed is replaced, and the call is not lost', async () => {
  const { server, base_url, connections } = await receiver((_request, response) => response.end())
  const get = callsOf()
  await get(base_url)
  server.closeAllConnections()
  expect(await get(base_url)).toMatchObject({ status: 200 })
  expect(connections()).toBe(2)
})

test('one that is closed by each request is a failure after the second', async () => {
  let requests = 0
  const { base_url } = await receiver((request, response) => {
    requests += 1
    if (requests === 1) response.end()
    else request.socket.destroy()
  })
  const get = callsOf()
  await get(base_url)
  expect(await get(base_url)).toEqual({ failure: 'unreachable' })
  expect(requests).toBe(3)
})

test('each failure has its name', async () => {
  const get = callsOf()
  expect(await get(`http://127.0.0.1:${await freePort()}`)).toEqual({ failure: 'refused' })
  const silent = await receiver(() => {})
  expect(await get(silent.base_url, 100)).toEqual({ failure: 'timeout' })
  const babbling = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'))
  expect(await get(await listen(babbling))).toEqual({ failure: 'protocol' })
  const large = await receiver((_request, response) => response.end('a'.repeat(70_000)))
  expect(await get(large.base_url)).toEqual({ failure: 'too_large' })
  expect(await get(silent.base_url.replace('http:', 'https:'), 2000)).toEqual({ failure: 'tls' })
})

test('a redirect is returned and not followed', async () => {
  let followed = 0
  const target = await receiver((_request, response) => {
    followed += 1
    response.end()
  })
  const { base_url } = await receiver((_request, response) =>
    response.writeHead(302, { location: target.base_url }).end(),
  )
  expect(await callsOf()(base_url)).toMatchObject({ status: 302 })
  expect(followed).toBe(0)
})

test('check 18: an address outside the networks is not called', async () => {
  const { base_url, connections } = await receiver((_request, response) => response.end())
  const get = callsOf({ networks: ['fd63:7265:7768::/48'] })
  for (const url of [base_url, ...hostileUrls]) expect(await get(url)).toEqual({ failure: 'address' })
  expect(connections()).toBe(0)
})

test('a call that was given up leaves no connection behind', async () => {
  let open = 0
  const server = createTcpServer((socket) => {
    open += 1
    socket
      .resume()
      .on('error', () => {})
      .on('close', () => {
        open -= 1
      })
  })
  const base_url = await listen(server)
  const get = callsOf()
  expect(await get(base_url, 100)).toEqual({ failure: 'timeout' })
  await waitFor(() => open === 0, 5000)
})
