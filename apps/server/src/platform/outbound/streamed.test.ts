import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { hostileUrls } from '@crewhall/testkit/hostile/hostile-urls.ts'
import { startNameServer } from '@crewhall/testkit/name-server.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { createOutbound, type Outbound, type OutboundOptions } from '#platform/outbound/outbound.ts'
import type { StreamedCall, StreamedResult } from '#platform/outbound/outbound-call.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function receiver(answer: RequestListener) {
  const sockets: Socket[] = []
  const server = createServer(answer).listen(0, '0.0.0.0')
  server.on('connection', (socket) => sockets.push(socket))
  await once(server, 'listening')
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  )
  return { port: (server.address() as AddressInfo).port, server, sockets }
}
function created(options: Partial<OutboundOptions> = {}): Outbound {
  const outbound = createOutbound({ allowed_networks: ['127.0.0.0/8'], name_servers: [], ...options })
  closing.push(() => outbound.close())
  return outbound
}
async function names(answers: Parameters<typeof startNameServer>[0]): Promise<string[]> {
  const server = await startNameServer(answers)
  closing.push(() => server.close())
  return [server.address]
}
const post = (url: string, more: Partial<StreamedCall> = {}): StreamedCall => ({
  url,
  method: 'POST',
  headers: {},
  body: '{}',
  limit_ms: 5000,
  max_bytes: 1_000_000,
  keep_for: 'a',
  ...more,
})
/** The text, or the failure before or within the body. */
async function read(result: StreamedResult): Promise<string | { failure: unknown }> {
  if ('failure' in result) return result
  try {
    const chunks: Buffer[] = []
    for await (const chunk of result.body) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  } catch (error) {
    return { failure: (error as { failure?: unknown }).failure }
  }
}
const say =
  (text: string): RequestListener =>
  (_, response) =>
    void response.end(text)

describe('a streamed body', () => {
  test('arrives while the other side still sends', async () => {
    let go: () => void = () => {}
    const { port } = await receiver((_, response) => {
      response.write('first')
      go = () => response.end('second')
    })
    const result = await created().stream(outside, post(`http://127.0.0.1:${port}/`))
    if ('failure' in result) throw new Error(result.failure)
    expect((await result.body.next()).value?.toString()).toBe('first')
    go()
    expect((await result.body.next()).value?.toString()).toBe('second')
    expect((await result.body.next()).done).toBe(true)
  })

  test.each([
    [300_000, 300_000, 'x'.repeat(300_000)],
    [300_001, 300_000, { failure: 'too_large' }],
    [10, 9, { failure: 'too_large' }],
  ])('of %i bytes within %i', async (size, max_bytes, expected) => {
    const { port, sockets } = await receiver(say('x'.repeat(size)))
    const call = post(`http://127.0.0.1:${port}/`, { max_bytes })
    expect(await read(await created().stream(outside, call))).toEqual(expected)
    // What was cut cannot be used for the next call.
    if (size > max_bytes) await waitFor(() => sockets.every(({ destroyed }) => destroyed), 5000)
  })

  test('that trickles ends at the limit of the call, and one that breaks off is no whole one', async () => {
    const endless = await receiver((_, response) => {
      const drip = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(drip))
    })
    const call = post(`http://127.0.0.1:${endless.port}/`, { limit_ms: 300 })
    expect(await read(await created().stream(outside, call))).toEqual({ failure: 'timeout' })
    const broken = await receiver((_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half')
      setImmediate(() => response.destroy())
    })
    const half = await created().stream(outside, post(`http://127.0.0.1:${broken.port}/`))
    expect(await read(half)).toEqual({ failure: 'unreachable' })
  })

  test('that nobody reads is ended, by whoever has it or by the limit', async () => {
    const { port, sockets } = await receiver((_, response) => void response.write('never ends'))
    const outbound = created()
    const result = await outbound.stream(outside, post(`http://127.0.0.1:${port}/`))
    if ('failure' in result) throw new Error(result.failure)
    result.end()
    await outbound.stream(outside, post(`http://127.0.0.1:${port}/`, { limit_ms: 200 }))
    const abort = new AbortController()
    await outbound.stream(outside, post(`http://127.0.0.1:${port}/`, { signal: abort.signal }))
    abort.abort()
    await waitFor(() => sockets.length === 3 && sockets.every(({ destroyed }) => destroyed), 5000)
  })

  test('redirects are returned, not followed', async () => {
    const inner = await receiver(say('secret'))
    const { port } = await receiver((_, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${inner.port}/` }).end(),
    )
    const result = await created().stream(outside, post(`http://127.0.0.1:${port}/`))
    expect(result).toMatchObject({ status: 307 })
    expect(inner.sockets).toHaveLength(0)
  })
})

describe('a kept connection', () => {
  test('serves its owner again, and nobody else', async () => {
    const { port, sockets } = await receiver(say('ok'))
    const outbound = created()
    const call = (more: Partial<StreamedCall>) =>
      outbound.stream(outside, post(`http://127.0.0.1:${port}/`, more)).then(read)
    for (let n = 0; n < 3; n += 1) expect(await call({ keep_for: 'a' })).toBe('ok')
    expect(sockets).toHaveLength(1)
    expect(await call({ keep_for: 'b' })).toBe('ok')
    expect(sockets).toHaveLength(2)
    const { keep_for: _, ...once } = post(`http://127.0.0.1:${port}/`)
    expect(await read(await outbound.stream(outside, once))).toBe('ok')
    expect(sockets).toHaveLength(3)
    await waitFor(() => sockets[2]?.destroyed === true, 5000)
  })

  test('outlives the limit of the call that opened it', async () => {
    let isSlow = false
    const { port, sockets } = await receiver((_, response) => {
      if (isSlow) setTimeout(() => response.end('late'), 400)
      else response.end('soon')
    })
    const outbound = created()
    const url = `http://127.0.0.1:${port}/`
    expect(await read(await outbound.stream(outside, post(url, { limit_ms: 200 })))).toBe('soon')
    isSlow = true
    expect(await read(await outbound.stream(outside, post(url)))).toBe('late')
    expect(sockets).toHaveLength(1)
  })

  test('is not used when its name has turned to the inside', async () => {
    const { port, sockets } = await receiver(say('ok'))
    let address = '127.0.0.1'
    const name_servers = await names({ 'turn.internal': () => [address] })
    const outbound = created({ allowed_networks: ['127.0.0.0/24'], name_servers })
    const call = () => outbound.stream(outside, post(`http://turn.internal:${port}/`)).then(read)
    expect(await call()).toBe('ok')
    address = '127.66.66.66'
    expect(await call()).toEqual({ failure: 'address' })
    expect(sockets).toHaveLength(1)
  })

  test('stays with the address that it was judged for, and is found again by it', async () => {
    const { port, sockets } = await receiver(say('ok'))
    let addresses = ['127.0.0.1']
    const name_servers = await names({ 'turn.internal': () => addresses })
    const outbound = created({ name_servers })
    const call = () => outbound.stream(outside, post(`http://turn.internal:${port}/`)).then(read)
    for (const each of [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1'], ['127.0.0.2']]) {
      addresses = each
      expect(await call()).toBe('ok')
    }
    expect(sockets.map(({ localAddress }) => localAddress)).toEqual(['127.0.0.1', '127.0.0.2'])
  })

  test('that was closed meanwhile is replaced for what may be sent twice, and for nothing else', async () => {
    let requests = 0
    const { port, sockets } = await receiver((request, response) => {
      requests += 1
      if (requests === 1 || requests === 3 || requests === 4) response.end('ok')
      else request.socket.destroy()
    })
    const outbound = created()
    const call = (may_repeat: boolean) =>
      outbound.stream(outside, post(`http://127.0.0.1:${port}/`, { may_repeat })).then(read)
    expect(await call(true)).toBe('ok')
    // The second request is read and lost; the third is the same once more.
    expect(await call(true)).toBe('ok')
    expect(await call(false)).toBe('ok')
    expect(await call(false)).toEqual({ failure: 'unreachable' })
    expect([requests, sockets.length]).toEqual([5, 3])
  })
})

test.each(hostileUrls)('%j is not called, streamed or kept', async (url) => {
  const outbound = created({ allowed_networks: [] })
  expect(await outbound.stream(outside, post(url))).toEqual({ failure: 'address' })
  const call = { ...post(url), wants: 'body' } as const
  expect(await outbound.call(outside, call)).toEqual({ failure: 'address' })
})
