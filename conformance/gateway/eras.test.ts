import { eras, McpCaller } from '@crewhall/testkit/mcp/mcp-caller.ts'
import { connectMcp, textOf } from '@crewhall/testkit/mcp/mcp-client.ts'
import { type Relay, startRelay } from '@crewhall/testkit/relay.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const server = useSharedServer('product')
const at = new World(server)
const get = (path: string, init?: RequestInit) => server.get(path, init)
let token: string
let relay: Relay
let mcp: McpCaller
beforeAll(async () => {
  token = await at.newToken(await at.join(await at.newBrand(), 'admin'))
  const second = await server.start('api')
  relay = await startRelay([server.api.url, second.url])
  mcp = new McpCaller(get, { token })
})
afterAll(() => relay?.close())

describe.each(eras)('a client of %s', (era) => {
  test('connects, lists and calls, and is given no session', async () => {
    const client = await connectMcp(`${server.api.url}/mcp`, { token }, era)
    expect(client.getNegotiatedProtocolVersion()).toBe(era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(await mcp.with({ era }).names())
    expect(tools.length).toBeGreaterThan(3)
    const result = await client.callTool({ name: 'whoami', arguments: {} })
    expect(result.isError ?? false).toBe(false)
    expect(textOf(result)).not.toBe('')
    await client.close()
  })

  test('works behind a balancer that gives every request to the other of two processes', async () => {
    const client = await connectMcp(`${relay.url}/mcp`, { token }, era)
    const before = [...relay.counts.values()]
    const texts = new Set<string>()
    for (let n = 0; n < 4; n += 1) {
      expect((await client.listTools({}, { cacheMode: 'bypass' })).tools.length).toBeGreaterThan(3)
      texts.add(textOf(await client.callTool({ name: 'whoami', arguments: {} })))
    }
    await client.close()
    expect(texts.size).toBe(1)
    const given = [...relay.counts.values()].map((count, n) => count - (before[n] ?? 0))
    expect(Math.min(...given)).toBeGreaterThanOrEqual(4)
  })

  test('gets JSON without a session, and the same bytes for the same list', async () => {
    const caller = mcp.with({ era })
    const first = await caller.list()
    expect(first.status).toBe(200)
    expect(first.headers.get('mcp-session-id')).toBeNull()
    const again = await new McpCaller(get, { token }, { era }).list()
    expect(again.text).toBe(first.text)
  })
})

describe.each(['/mcp', '/mcp/readonly'])('%s', (path) => {
  test.each(['GET', 'DELETE'])('has no stream and no session: %s is refused', async (method) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const response = await get(path, { method, headers })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toContain('POST')
    await response.text()
  })

  test('takes bearer tokens only', async () => {
    const owner = await at.join(await at.newBrand(), 'admin')
    const cookie = await at.newCookie(owner.person_id, owner.brand_id)
    for (const by of [null, { cookie }, { token: 'chp_nothing' }]) {
      const answer = await new McpCaller(get, by, { path }).list()
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
      expect(answer.result).toBe(undefined)
    }
  })

  test('refuses a page of another origin, whatever name it has for this server', async () => {
    for (const origin of ['https://evil.example', 'http://evil.example:8080', 'null'])
      expect((await mcp.with({ path, headers: { origin } }).list()).status).toBe(403)
  })
})

describe('what is no request of the protocol', () => {
  const post = async (body: string, more: Record<string, string> = {}) => {
    const response = await get('/mcp', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...more,
      },
      body,
    })
    return { status: response.status, text: await response.text() }
  }

  test.each([
    ['an empty body', ''],
    ['half of an object', '{'],
    ['a number', '7'],
    ['a message without a method', '{"jsonrpc":"2.0","id":1}'],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}'],
    ['nested lists', `${'['.repeat(5000)}${']'.repeat(5000)}`],
  ])('%s is refused', async (_, body) => {
    const { status } = await post(body)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  })

  test('a body above the limit is refused, and so is another type', async () => {
    expect((await post(`{"jsonrpc":"2.0","x":"${'x'.repeat(3_000_000)}"}`)).status).toBe(413)
    expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415)
  })

  test('an unknown method is named as one, and a revision that nobody has is refused', async () => {
    expect((await mcp.send('tools/rename')).error?.code).toBe(-32601)
    const strange = { 'mcp-protocol-version': '2031-01-01' }
    expect((await mcp.with({ era: '2025-11-25', headers: strange }).list()).status).toBe(400)
  })

  test('an unknown tool is refused in words that do not repeat its name', async () => {
    const { said, verdict } = await mcp.call('no_such_tool')
    expect(verdict).toBeGreaterThanOrEqual(400)
    expect(said).toMatch(/unknown tool/i)
  })
})
