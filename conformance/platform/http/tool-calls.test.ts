import { listBoards } from '@crewhall/contracts/boards/boards.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, expect, test } from 'vitest'

// What the platform promises of a call from inside, seen through the gateway: it is the request that it stands for.
const server = useServer('product', { HTTP_RATE_LIMIT_PER_CREDENTIAL: '60', HTTP_DEADLINE_MS: '1500' })
const world = new World(server)
let brand_id = 0
let person_id = 0

beforeAll(async () => {
  brand_id = await world.newBrand()
  person_id = (await world.join(brand_id, 'admin')).person_id
})

const newToken = (...scopes: string[]) => world.newToken({ brand_id, person_id }, scopes)
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

function send(token: string, body: unknown, more: RequestInit = {}, path = '/mcp') {
  return server.get(path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...more,
    headers: { ...json, authorization: `Bearer ${token}`, ...more.headers },
  })
}

const messageOf = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})

async function call(token: string, name: string, args: object) {
  const response = await send(token, messageOf(name, args))
  const { result } = (await response.json()) as { result: { content: { text: string }[]; isError: boolean } }
  return { response, text: result.content[0]?.text ?? '', is_error: result.isError }
}

test('a call gets the refusal of the route, and counts against the limit of its credential', async () => {
  const token = await newToken('brand:read')
  const { response, text, is_error } = await call(token, 'boards', { action: 'get', board_id: 'none' })
  expect({ status: response.status, text, is_error }).toEqual({
    status: 200,
    text: expect.stringMatching(/^404: Board not found(?:\n|$)/),
    is_error: true,
  })
  expect(response.headers.get('x-ratelimit-remaining')).toBe('59')
  const over = await server.get(listBoards.path, { headers: { authorization: `Bearer ${token}` } })
  expect(over.headers.get('x-ratelimit-remaining')).toBe('58')
})

test('beyond the limit a call is refused, and says when to come again', async () => {
  const token = await newToken('brand:read')
  for (let at = 0; at < 60; at += 1) await send(token, { jsonrpc: '2.0', id: 1, method: 'ping' })
  const { text, is_error } = await call(token, 'boards', { action: 'list' })
  expect(is_error).toBe(true)
  expect(text).toMatch(/^429: Too many requests\nTry again in \d+ s\.$/)
  const listed = await send(token, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  expect(listed.status).toBe(429)
})

test('a token that was taken away is 401 at the next call, of whatever kind', async () => {
  const token = await newToken('brand:read')
  expect((await call(token, 'boards', { action: 'list' })).is_error).toBe(false)
  await world.sql('delete from identity.tokens where brand_id = $1', [brand_id])
  const called = await send(token, messageOf('boards', { action: 'list' }))
  expect(called.status).toBe(401)
  expect(called.headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata="http[^"]+\/mcp"$/)
  expect((await send(token, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(401)
  for (const name of ['help', 'boards', 'none'])
    expect((await send(token, messageOf(name, {}))).status).toBe(401)
})

test('a cookie is no credential here', async () => {
  const cookie = await world.newCookie(person_id, brand_id)
  const response = await server.get('/mcp', {
    method: 'POST',
    headers: { ...json, cookie },
    body: JSON.stringify(messageOf('boards', { action: 'list' })),
  })
  expect(response.status).toBe(401)
})

test('nothing is read of a stranger, and no more than the limit of a caller', async () => {
  const long = JSON.stringify(messageOf('boards', { action: 'x'.repeat(2_000_000) }))
  expect((await send('nobody', long)).status).toBe(401)
  const token = await newToken('brand:read')
  expect((await send(token, long)).status).toBe(413)
  expect((await send(token, '{')).status).toBe(400)
  expect((await send(token, '[]')).status).toBe(400)
  expect((await send(token, `${'['.repeat(100)}${']'.repeat(100)}`)).status).toBe(400)
})

test('a call that outlasts the deadline of its route is 503 as over HTTP, and its statement has ended', async () => {
  const token = await newToken('brand:read')
  const locked = await server.connection('owner')
  await locked.query('begin')
  await locked.query('lock table boards.boards in access exclusive mode')
  try {
    const { text, is_error } = await call(token, 'boards', { action: 'list' })
    expect(is_error).toBe(true)
    expect(text).toMatch(/^503: /)
    await waitFor(async () => (await waiting()) === 0, 10_000)
  } finally {
    await locked.query('rollback')
  }
})

test('a caller that hangs up ends what the call has begun', async () => {
  const token = await newToken('brand:read')
  const locked = await server.connection('owner')
  await locked.query('begin')
  await locked.query('lock table boards.boards in access exclusive mode')
  try {
    const caller = new AbortController()
    const sent = send(token, messageOf('boards', { action: 'list' }), { signal: caller.signal })
    const gone = expect(sent).rejects.toThrow()
    await waitFor(async () => (await waiting()) > 0, 10_000)
    const hungUp = performance.now()
    caller.abort()
    await gone
    await waitFor(async () => (await waiting()) === 0, 10_000)
    expect(performance.now() - hungUp).toBeLessThan(1000)
  } finally {
    await locked.query('rollback')
  }
})

const waiting = async (): Promise<number> => {
  const [row] = await server.sql<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and application_name = 'crewhall-api' and wait_event_type = 'Lock'`,
  )
  return row?.count ?? 0
}

test('pages of other sites are refused, whatever name they gave to this address', async () => {
  const token = await newToken('brand:read')
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const from = async (origin: string) => (await send(token, ping, { headers: { origin } })).status
  expect(await from('http://evil.example')).toBe(403)
  expect(await from('null')).toBe(403)
  expect(await from('http://127.0.0.1.evil.example')).toBe(403)
  expect(await from('http://localhost:5173')).toBe(200)
})

test('the line of the inner request bears the id of the outer one', async () => {
  const token = await newToken('brand:read')
  await send(token, messageOf('boards', { action: 'list' }), {
    headers: { 'x-request-id': 'tool-call-logged' },
  })
  const lines = await waitFor(async () => {
    const found = server.api.logs().filter(({ request_id }) => request_id === 'tool-call-logged')
    return found.length >= 2 && found
  }, 10_000)
  expect(lines.map(({ route, inside }) => [route, inside])).toEqual([
    [listBoards.id, 'gateway.call'],
    ['gateway.call', undefined],
  ])
})
