import { randomUUID } from 'node:crypto'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { describe, expect, test } from 'vitest'

const server = useServer('probe')
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Everything logged about one request, once its closing line is written. */
const logged = async (path: string, init: RequestInit = {}) => {
  const id = randomUUID()
  const response = await server.get(path, { ...init, headers: { 'x-request-id': id } })
  await response.arrayBuffer()
  const closing = () => server.api.logs().filter((line) => line.request_id === id && 'route' in line)
  await waitFor(() => closing().length > 0, 20_000)
  return { closing: closing(), text: server.api.lines.filter((line) => line.includes(id)).join('\n') }
}

describe('X-Request-Id', () => {
  test('of the caller is kept, on refusals too', async () => {
    for (const path of ['/api/v1/system/info', '/api/v1/nothing', '/api/v1/probe/rows?limit=0']) {
      const response = await server.get(path, { headers: { 'x-request-id': 'caller.id_1234-AB' } })
      expect(response.headers.get('x-request-id')).toBe('caller.id_1234-AB')
    }
  })

  test('is made when the caller sends none, a new one each time', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await server.get('/api/v1/system/info')).headers.get('x-request-id')),
    )
    for (const id of ids) expect(id).toMatch(uuid)
    expect(new Set(ids).size).toBe(2)
  })

  test.each([
    'short',
    'a'.repeat(65),
    'has space in it',
    '<script>alert</script>',
    '"quoted-id"',
    '12345678;x',
  ])('%s is not kept', async (given) => {
    const response = await server.get('/api/v1/system/info', { headers: { 'x-request-id': given } })
    expect(response.headers.get('x-request-id')).toMatch(uuid)
  })
})

describe('the log', () => {
  test('has one line of JSON for a request, with its facts', async () => {
    const { closing } = await logged('/api/v1/probe/rows/1')
    expect(closing).toEqual([
      expect.objectContaining({
        level: 'info',
        route: 'probe.readRow',
        method: 'GET',
        path: '/api/v1/probe/rows/1',
        status: 200,
        ms: expect.any(Number),
      }),
    ])
  })

  test.each([
    ['refused', '/api/v1/probe/rows?limit=0', 422],
    ['unknown', '/api/v1/nothing', 404],
  ])('has one line for a request that is %s', async (_, path, status) => {
    const { closing, text } = await logged(path)
    expect(closing).toEqual([expect.objectContaining({ status })])
    expect(text.split('\n')).toHaveLength(1)
  })

  test('is JSON in every line', async () => {
    await logged('/api/v1/probe/bug')
    for (const line of server.api.lines) expect(() => JSON.parse(line)).not.toThrow()
  })

  test('holds no query string', async () => {
    const { closing } = await logged('/api/v1/probe/rows?name=hunter2-query')
    expect(closing[0]?.path).toBe('/api/v1/probe/rows')
    expect(server.api.lines.join('\n')).not.toContain('hunter2-query')
  })

  test.each([
    ['a token', 'chp_Q7hunter2Zx81kTtu4'],
    ['a bearer', 'Authorization: Bearer hunter2.abc-def'],
    ['a password in a URL', 'postgres://crewhall:hunter2-pass@db.internal/x'],
  ])('holds no secret even when an error text does: %s', async (_, secret) => {
    const { text } = await logged(`/api/v1/probe/bug?secret=${encodeURIComponent(secret)}`)
    expect(text).toContain('something broke near')
    expect(text).toContain('[redacted]')
    expect(text).not.toContain('hunter2')
  })

  test('holds no token that stands in a path', async () => {
    const { text } = await logged('/api/v1/probe/rows/chp_Q7hunter2Zx81kTtu4')
    expect(text).not.toContain('hunter2')
  })

  test('tells the whole error with its stack, for the operator', async () => {
    const { text } = await logged('/api/v1/probe/bug')
    expect(text).toMatch(/"level":"error".*something broke near nothing.*probe\.module\b/)
  })
})

test('a fault of ours tells the caller the request id and nothing else', async () => {
  const response = await server.get('/api/v1/probe/bug?secret=hunter2', {
    headers: { 'x-request-id': 'caller-id-500' },
  })
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({ detail: 'Internal error; the request id is caller-id-500' })
  expect(response.headers.get('x-request-id')).toBe('caller-id-500')
})
