import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { outside } from '@crewhall/testkit/outside.ts'
import {
  endlessPages,
  type HostileReply,
  hostileLists,
  hostileReplies,
  redirectTo,
} from '@crewhall/testkit/tool-server/hostile-tool-servers.ts'
import {
  echo,
  eventOf,
  resultOf,
  startToolServer,
  type ToolServerOptions,
} from '@crewhall/testkit/tool-server/tool-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { afterEach, describe, expect, test } from 'vitest'
import { createOutbound } from '#platform/outbound/outbound.ts'
import type { ToolServerFailure } from './tool-server-fault.ts'
import { createToolServers } from './tool-servers.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

function created() {
  const outbound = createOutbound({ allowed_networks: ['127.0.0.1/32'], name_servers: [] })
  closing.push(() => outbound.close())
  return createToolServers({ outbound, version: '1.0.0' })
}
async function serving(options: ToolServerOptions = {}) {
  const server = await startToolServer(options)
  closing.push(() => server.close())
  return server
}
const at = (url: string, owner = '1', headers: Readonly<Record<string, string>> = {}) => ({
  url,
  headers,
  owner,
})
const listing = { prefix_length: 6, limit_ms: 5000 }
const calling = (args: Readonly<Record<string, unknown>> = { text: 'hello' }, limit_ms = 5000) => ({
  name: 'echo',
  arguments: args,
  input_schema: { type: 'object' },
  limit_ms,
})

describe('an honest server', () => {
  test.each([
    ['JSON', {}],
    ['a stream of events', { is_streamed: true }],
    ['sessions', { has_sessions: true }],
  ])('with %s lists its tools and is called', async (_, options) => {
    const server = await serving(options)
    const servers = created()
    const listed = await servers.list(outside, at(server.url), listing)
    expect(listed).toEqual({
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      tools: [
        {
          name: 'echo',
          title: null,
          description: 'Returns what it is given.',
          input_schema: echo.inputSchema,
          hints: { read_only: false, destructive: true, idempotent: false },
        },
      ],
    })
    expect(await servers.call(outside, at(server.url), calling())).toEqual({
      text: '{"text":"hello"}',
      is_error: false,
    })
    await waitFor(() => server.sessions.size === 0, 5000)
    expect(new Set(server.seen.map(({ http_method }) => http_method))).not.toContain('GET')
  })

  test('of the newer version needs one request for a call, once its version is known', async () => {
    const { url, methods } = await modern()
    const servers = created()
    expect(await servers.list(outside, at(url), listing)).toMatchObject({ tools: [{ name: 'echo' }] })
    expect(await servers.call(outside, at(url), calling())).toEqual({ text: 'said hello', is_error: false })
    expect(methods).toEqual(['server/discover', 'tools/list', 'tools/call'])
  })

  test('shares one connection between the steps of a call', async () => {
    const server = await serving()
    const servers = created()
    for (let n = 0; n < 3; n += 1) await servers.call(outside, at(server.url), calling())
    expect(server.sockets).toHaveLength(1)
  })

  test('may return an error, in words of its own', async () => {
    const refused = await serving({
      on: {
        'tools/call': ({ id }, response) =>
          void response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_602, message: 'No text given' } })),
      },
    })
    const result = await created().call(outside, at(refused.url), calling({}))
    expect(result).toMatchObject({ text: expect.stringContaining('No text given'), is_error: true })
    const failing = await serving({
      call: () => ({ content: [{ type: 'text', text: 'no' }], isError: true }),
    })
    expect(await created().call(outside, at(failing.url), calling())).toEqual({ text: 'no', is_error: true })
  })

  test('is cut at 60,000 characters, and that is said', async () => {
    const long = await serving({ call: () => ({ content: [{ type: 'text', text: '😀'.repeat(40_000) }] }) })
    const result = await created().call(outside, at(long.url), calling())
    if (!('text' in result)) throw new Error(result.detail)
    expect(result.text.length).toBeLessThanOrEqual(60_000)
    expect(result.text).toMatch(/\[cut: the tool returned 80000 characters, of which 59800 are shown\]$/)
    expect(result.text.isWellFormed()).toBe(true)
  })

  test('has everything but text named', async () => {
    const content = [
      { type: 'text', text: 'See:' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'https://a.example/b', name: 'b' },
      { type: 'resource', resource: { uri: 'memo:c', text: 'inside c' } },
    ]
    const server = await serving({ call: () => ({ content }) })
    expect(await created().call(outside, at(server.url), calling())).toMatchObject({
      text: 'See:\n[image of type image/png is not handed on]\n[link to https://a.example/b: b]\ninside c',
    })
  })
})

const fates: Readonly<Record<HostileReply, ToolServerFailure>> = {
  huge: 'too_large',
  'huge without an end': 'too_large',
  'one endless line in tiny pieces': 'too_large',
  silent: 'timeout',
  trickling: 'timeout',
  'endless events': 'timeout',
  'endless progress': 'timeout',
  'the id of another call': 'protocol',
  'the id of another call in events': 'protocol',
  'no JSON': 'protocol',
  'no JSON in events': 'protocol',
  'no message': 'protocol',
  'another result': 'protocol',
  'a page of HTML': 'protocol',
  'no content type': 'protocol',
  compressed: 'protocol',
  'closing midway': 'unreachable',
  'closing a stream midway': 'unreachable',
  'a stream without a result': 'protocol',
  'closing at once': 'unreachable',
  'no HTTP': 'protocol',
  'an error of HTTP': 'status',
  unauthorized: 'unauthorized',
  'another protocol': 'protocol',
  'many requests of its own': 'too_large',
  'many events that are nothing': 'protocol',
  'many notifications': 'too_large',
  'a list of messages': 'protocol',
  'many entries': 'too_large',
  'many small parts': 'too_large',
  'many levels': 'too_large',
}

describe.each(Object.entries(fates))('a server that is: %s', (name, failure) => {
  const reply = hostileReplies[name as HostileReply]
  const limit_ms = failure === 'timeout' ? 400 : 5000

  test.each(['initialize', 'tools/list', 'tools/call'])(`ends as ${failure} at %s`, async (method) => {
    const server = await serving({ on: { [method]: reply } })
    const servers = created()
    const result =
      method === 'tools/list'
        ? await servers.list(outside, at(server.url), { ...listing, limit_ms })
        : await servers.call(outside, at(server.url), calling({}, limit_ms))
    expect(result).toEqual({ failure, detail: expect.stringMatching(/^The /) })
    expect(JSON.stringify(result)).not.toMatch(/secret|not yours|127\.0\.0\.1/)
    expect(server.seen.length).toBeLessThan(8)
    // Whatever was begun has ended.
    await waitFor(() => server.unfinished === 0, 5000)
  })
})

test('an event stream of ordinary length is read to its result, however it is cut into pieces', async () => {
  const progress = {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 1, progress: 1 },
  }
  const server = await serving({
    on: {
      'tools/call': (rpc, response) => {
        const result = resultOf(rpc, { content: [{ type: 'text', text: 'done "{[" \\ é' }] })
        const stream = Buffer.from(`${eventOf(progress).repeat(300)}: note\r\n\r\n${eventOf(result)}`)
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        for (let at = 0; at < stream.length; at += 37) response.write(stream.subarray(at, at + 37))
        response.end()
      },
    },
  })
  const result = await created().call(outside, at(server.url), calling())
  expect(result).toEqual({ text: 'done "{[" \\ é', is_error: false })
})

describe('a list of tools', () => {
  test.each(Object.entries(hostileLists))('with %s is refused', async (_, [tools, reason]) => {
    const server = await serving({ tools })
    const result = await created().list(outside, at(server.url), listing)
    expect(result).toMatchObject({ detail: expect.stringMatching(reason) })
  })

  test('is not read for ever', async () => {
    const server = await serving(endlessPages)
    expect(await created().list(outside, at(server.url), listing)).toMatchObject({ failure: 'definitions' })
    expect(server.seen.length).toBeLessThan(16)
  })

  test('has the same digest in another order, and another after the smallest change', async () => {
    const digest = async (tools: ToolServerOptions['tools']) => {
      const server = await serving({ ...(tools ? { tools } : {}) })
      const result = await created().list(outside, at(server.url), listing)
      if ('failure' in result) throw new Error(result.detail)
      return result.digest
    }
    const other = { name: 'other', description: 'b', inputSchema: { type: 'object', title: 'x', $id: '#y' } }
    const turned = { inputSchema: { $id: '#y', title: 'x', type: 'object' }, description: 'b', name: 'other' }
    const before = await digest([echo, other])
    expect(await digest([turned, echo])).toBe(before)
    const changed: (readonly (typeof echo)[])[] = [
      [echo],
      [echo, { ...other, description: 'B' }],
      [echo, { ...other, title: 'Other' }],
      [echo, { ...other, inputSchema: { ...other.inputSchema, title: 'y' } }],
      [echo, { ...other, annotations: { readOnlyHint: true } }],
    ]
    for (const tools of changed) expect(await digest(tools)).not.toBe(before)
  })
})

describe('a credential', () => {
  const secret = { authorization: 'Bearer outside-secret-4711' }

  test('goes with every request to its server, and nowhere else', async () => {
    const inner = await serving()
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await serving({ on: { initialize: redirectTo(inner.url, status) } })
      const result = await created().call(outside, at(server.url, '1', secret), calling())
      expect(result).toMatchObject({ failure: 'redirected' })
      expect(server.seen.every(({ headers }) => headers.authorization === secret.authorization)).toBe(true)
    }
    expect(inner.sockets).toHaveLength(0)
  })

  test('does not follow a redirect within its server either', async () => {
    const server = await serving({ on: { 'tools/call': redirectTo('/other') } })
    const result = await created().call(outside, at(server.url, '1', secret), calling())
    expect(result).toMatchObject({ failure: 'redirected' })
    expect(server.seen.filter(({ path }) => path !== '/mcp')).toEqual([])
  })

  test.each([
    ['host', 'evil.example'],
    ['Content-Length', '0'],
    ['transfer-encoding', 'chunked'],
    ['connection', 'upgrade'],
    ['mcp-session-id', 'x'],
    ['x key', 'x'],
    ['x-key', 'a\r\nx-more: b'],
    ['x-key', 'é'],
    ['x-key', ''],
  ])('is not sent as %j: %j', async (name, value) => {
    const server = await serving()
    const result = await created().call(outside, at(server.url, '1', { [name]: value }), calling())
    expect(result).toMatchObject({ failure: 'credential' })
    expect(server.sockets).toHaveLength(0)
  })
})

describe('a slow server', () => {
  test('keeps places of its own workspace only, and is told busy beyond them', async () => {
    const slow = await serving({ on: { 'tools/call': hostileReplies.silent } })
    const quick = await serving()
    const servers = created()
    const held = Array.from({ length: 40 }, () => servers.call(outside, at(slow.url), calling({}, 4000)))
    await waitFor(() => slow.seen.filter(({ rpc }) => rpc?.method === 'tools/call').length === 8, 5000)
    expect(await servers.call(outside, at(quick.url, '2'), calling())).toMatchObject({ is_error: false })
    const ends = await Promise.all(held)
    const counts = Object.groupBy(ends, (end) => ('failure' in end ? end.failure : 'none'))
    expect([counts.timeout?.length, counts.busy?.length]).toEqual([8, 32])
    expect(await servers.call(outside, at(quick.url), calling())).toMatchObject({ is_error: false })
  })

  test('is left when the caller hangs up', async () => {
    const slow = await serving({ on: { 'tools/call': hostileReplies.silent } })
    const abort = new AbortController()
    const ending = created().call(outside, at(slow.url), { ...calling({}, 60_000), signal: abort.signal })
    await waitFor(() => slow.seen.some(({ rpc }) => rpc?.method === 'tools/call'), 5000)
    abort.abort()
    expect(await ending).toMatchObject({ failure: 'aborted' })
    await waitFor(() => slow.unfinished === 0, 5000)
  })
})

/** The real thing, for the newer version of the protocol. */
async function modern() {
  const methods: string[] = []
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'modern', version: '1.0.0' })
    server.registerTool('echo', { description: 'Says it.' }, () => ({
      content: [{ type: 'text', text: 'said hello' }],
    }))
    return server
  })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    methods.push((JSON.parse(body) as { method: string }).method)
    const headers = new Headers(request.headers as Record<string, string>)
    const made = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, { method: 'POST', headers, body }),
    )
    response
      .writeHead(made.status, Object.fromEntries(made.headers))
      .end(Buffer.from(await made.arrayBuffer()))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, methods }
}
