import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { BoardWorkspace } from '../../boards/board-workspace.ts'

const server = useServer('probe')
let workspace: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
})

const lines: Socket[] = []
afterEach(() => {
  for (const socket of lines.splice(0)) socket.destroy()
})

/** A line from another network than the one the rest of the tests calls from. */
async function open(api: ServerProcess, from = '127.0.0.2'): Promise<Socket> {
  const { hostname, port } = new URL(api.url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: from })
  socket.on('error', () => {})
  lines.push(socket)
  await once(socket, 'connect')
  return socket
}

/** A request to a public route with one byte of the body that it announces. */
const oneByte = (more: readonly string[] = []) =>
  [
    'POST /api/v1/auth/sign-in HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    'Content-Length: 1000',
    ...more,
    '',
    '{',
  ].join('\r\n')

/** Answers to so many reads in a row, as statuses and milliseconds. */
async function read(api: ServerProcess, times: number) {
  const statuses: number[] = []
  const ms: number[] = []
  for (let n = 0; n < times; n += 1) {
    const startedAt = performance.now()
    const response = await fetch(`${api.url}/api/v1/board/boards`, {
      headers: { authorization: `Bearer ${workspace.token}` },
    })
    await response.text()
    ms.push(performance.now() - startedAt)
    statuses.push(response.status)
  }
  ms.sort((a, b) => a - b)
  return {
    failed: statuses.filter((status) => status !== 200).length,
    median: ms[times >> 1] ?? 0,
    p99: ms[Math.floor(times * 0.99)] ?? 0,
  }
}

const sockets = 1000

describe('S4 a thousand requests that send one byte of their body', () => {
  test.each([
    ['one network', {}, () => []],
    [
      'a thousand networks',
      { HTTP_TRUST_PROXY: '127.0.0.2' },
      (n: number) => [`X-Forwarded-For: 10.1.${n >> 8}.${n & 255}`],
    ],
  ] as const)(
    'S4 of %s stop nobody: 0 of 200 reads fail, and their lines are closed',
    async (_, env, headersOf) => {
      const api = await server.start('api', { ...env, HTTP_REQUEST_TIMEOUT_MS: '10000' })
      let closed = 0
      const held = await Promise.all(Array.from({ length: sockets }, () => open(api)))
      held.forEach((socket, n) => {
        socket.resume().once('close', () => {
          closed += 1
        })
        socket.write(oneByte(headersOf(n)))
      })
      const { failed, median, p99 } = await read(api, 200)
      expect(failed).toBe(0)
      console.log(
        `200 reads beside ${sockets} waiting requests: median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
      )
      // On a quiet machine p99 is far below 250 ms. Here others run their tests, which slows a few reads; requests that
      // are in the way would slow most of them.
      expect(median).toBeLessThan(1000)
      await waitFor(() => closed === sockets, 60_000)
    },
    120_000,
  )
})

test('S4 a request that does not arrive in time is 408, and its line is closed whether the caller hangs up or not', async () => {
  const api = await server.start('api', { HTTP_REQUEST_TIMEOUT_MS: '1000' })
  for (const text of [oneByte(), 'GET /api/v1/system/info HTTP/1.1\r\nHost: l']) {
    const { hostname, port } = new URL(api.url)
    // Goes on writing for as long as it may, so only the server can end this line.
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    lines.push(socket)
    let answer = ''
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      answer += String(bytes)
    })
    socket.write(text)
    const trickle = setInterval(() => socket.write('x'), 100)
    await new Promise((resolve) => socket.once('close', resolve))
    clearInterval(trickle)
    expect(answer).toMatch(/^HTTP\/1.1 408 /)
    expect(answer).toContain('{"detail":"The request did not arrive in time"}')
  }
})

test('S4 a reader that stops reading loses its line', async () => {
  const api = await server.start('api', { HTTP_STALL_TIMEOUT_MS: '1000' })
  const { hostname, port } = new URL(api.url)
  const socket = connect({ host: hostname, port: Number(port) })
  lines.push(socket)
  socket.on('error', () => {})
  const ask = 'GET /api/v1/docs/js/scalar.js HTTP/1.1\r\nHost: localhost\r\n\r\n'
  // More than the buffers of both sides take.
  socket.write(ask.repeat(8))
  await once(socket, 'readable')
  const inFlight = async () => (await fetch(`${api.url}/api/v1/system/info`)).status
  expect(await inFlight()).toBe(200)
  await waitFor(() => api.logs().some(({ msg }) => msg === 'a line stood still and was closed'), 30_000)
})

describe('S4 one network', () => {
  test('has so many open requests, and the next is 429 while another network is answered', async () => {
    const api = await server.start('api', { HTTP_MAX_OPEN_PER_NETWORK: '2' })
    const held = [await open(api), await open(api)]
    for (const socket of held) socket.write(oneByte())
    const third = await open(api)
    let answer = ''
    third.on('data', (bytes) => {
      answer += String(bytes)
    })
    // The first two may still be on their way.
    await waitFor(() => {
      third.write('GET /api/v1/system/info HTTP/1.1\r\nHost: localhost\r\n\r\n')
      return answer.includes('429 Too Many Requests')
    }, 20_000)
    expect(answer).toContain('{"detail":"Too many requests at once"}')
    expect((await fetch(`${api.url}/api/v1/system/info`)).status).toBe(200)
    held[0]?.destroy()
    answer = ''
    await waitFor(() => {
      third.write('GET /api/v1/system/info HTTP/1.1\r\nHost: localhost\r\n\r\n')
      return answer.includes('200 OK')
    }, 20_000)
  })

  test('has so many connections, and the next is closed at once while another network gets one', async () => {
    const api = await server.start('api', { HTTP_MAX_SOCKETS_PER_NETWORK: '3' })
    for (let n = 0; n < 3; n += 1) await open(api)
    const fourth = await open(api)
    fourth.resume()
    await once(fourth, 'close')
    expect((await fetch(`${api.url}/api/v1/system/info`)).status).toBe(200)
  })
})
