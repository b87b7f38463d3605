import { sendRaw } from '@crewhall/testkit/raw-http.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { describe, expect, test } from 'vitest'

const server = useSharedServer('probe')
const rows = '/api/v1/probe/rows'
const near = '/api/v1/probe/entries:near'
const board = '/api/v1/probe/board/notes'
const post = (body: string, type = 'application/json') => ({
  method: 'POST',
  headers: { 'content-type': type },
  body,
})
const form = (bytes: number, field = 'file') => {
  const data = new FormData()
  data.append(field, new Blob([new Uint8Array(bytes)]), 'a.bin')
  return { method: 'POST', body: data }
}

describe('SYS-16 every error body carries a detail that is a string or an object', () => {
  const calls: [status: number, what: string, path: string, init?: RequestInit][] = [
    [404, 'an unknown path', '/api/v1/nothing'],
    [404, 'a missing row', `${rows}/999999999`],
    [405, 'another method', rows, { method: 'DELETE' }],
    [
      409,
      'a conflict',
      '/api/v1/probe/marks',
      post('{"key":"00000000-0000-4000-8000-000000000001","roll_back":true}'),
    ],
    [422, 'a query that is wrong', `${rows}?limit=0`],
    [422, 'a body that is wrong', rows, post('{"name":1}')],
    [
      422,
      'a body with several faults',
      '/api/v1/probe/things/00000000-0000-4000-8000-000000000001',
      { ...post('{"a":1,"b":2,"limit_value":"x"}'), method: 'PUT' },
    ],
    [422, 'no JSON', rows, post('{')],
    [400, 'a board route', board, post('{')],
    [400, 'no file', '/api/v1/probe/uploads', form(1, 'other')],
    [413, 'a body that is too large', rows, post(JSON.stringify({ name: 'x', pad: 'p'.repeat(1_100_000) }))],
    [500, 'a fault of ours', '/api/v1/probe/bug'],
  ]
  test.each(calls)('%i for %s', async (status, _, path, init) => {
    const response = await server.get(path, init)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const body = (await response.json()) as { detail: unknown }
    expect(Object.keys(body)).toEqual(['detail'])
    expect(typeof body.detail).toMatch(/^(string|object)$/)
    expect(Array.isArray(body.detail) || body.detail === null).toBe(false)
  })

  test.each([
    [400, 'what is not HTTP', ['NONSENSE']],
    [431, 'headers without end', [`GET ${rows} HTTP/1.1`, 'Host: x', `X-Big: ${'a'.repeat(20_000)}`]],
  ] as const)('%i for %s', async (status, _, head) => {
    const answer = await sendRaw(server.api.url, head)
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body)).toEqual({ detail: expect.any(String) })
  })
})

describe('SYS-G3 the detail of a 422 is one string that names the field and the rule', () => {
  const cases: [body: string, detail: string | RegExp][] = [
    ['{}', 'on: is required'],
    ['{"on":null}', /^on: .*boolean/],
    ['{"on":true,"limit_value":401}', /^limit_value: .*400/],
    ['{"on":true,"tags":["ok",""]}', 'tags.1: must be 1 to 20 characters long'],
    ['{"on":true,"surprise":1}', 'surprise: unknown field'],
    ['[]', /^body: .*object/],
    ['{"on":true', 'body: not valid JSON'],
  ]
  test.each(cases)('%s', async (body, detail) => {
    const response = await server.get('/api/v1/probe/things/00000000-0000-4000-8000-000000000001', {
      ...post(body),
      method: 'PUT',
    })
    expect(response.status).toBe(422)
    const told = ((await response.json()) as { detail: string }).detail
    if (typeof detail === 'string') expect(told).toBe(detail)
    else expect(told).toMatch(detail)
  })

  test.each([
    ['in a body', rows, post('{"name":{"password":"hunter2-secret"}}')],
    ['of a wrong length', rows, post(JSON.stringify({ name: 'hunter2-secret'.repeat(20) }))],
    ['in a query', `${rows}?limit=hunter2-secret`, undefined],
    ['in a body that is not JSON', rows, post('{"name":"hunter2-secret')],
  ] as const)('and never repeats a value sent %s', async (_, path, init) => {
    const response = await server.get(path, init)
    expect(response.status).toBe(422)
    expect(await response.text()).not.toContain('hunter2')
  })

  test('and does not grow with the name of a field', async () => {
    const response = await server.get(near, post(`{"depth":1,"${'k'.repeat(100_000)}":1}`))
    expect(response.status).toBe(422)
    expect((await response.text()).length).toBeLessThan(300)
  })
})

describe('SYS-G4 malformed JSON and a wrong content type are 422, and 400 on board routes', () => {
  const faults: [string, RequestInit][] = [
    ['malformed JSON', post('{"title":')],
    ['no body', { method: 'POST' }],
    ['a text', post('{"title":"x","depth":1}', 'text/plain')],
    ['a form', post('title=x', 'application/x-www-form-urlencoded')],
    ['bytes that are not UTF-8', { ...post(''), body: Uint8Array.from([0x22, 0xff, 0x22]) }],
    ['a field of a wrong type', post('{"title":1,"depth":"1"}')],
  ]
  test.each(faults)('%s', async (_, init) => {
    expect((await server.get(near, init)).status).toBe(422)
    expect((await server.get(board, init)).status).toBe(400)
  })

  test('a wrong query of a board route is 400 as well', async () => {
    expect((await server.get(`${board}?page=0`, post('{"title":"x"}'))).status).toBe(400)
  })
})

describe('SYS-G6', () => {
  test('an unknown path is 404 with a detail', async () => {
    const response = await server.get('/api/v1/probe/unknown')
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ detail: 'Not found' })
  })

  test.each(['DELETE', 'PATCH', 'PUT', 'OPTIONS', 'PROPFIND', 'QUERY'])(
    'a known path with %s is 405 with a detail and the methods it takes',
    async (method) => {
      const response = await server.get(rows, { method })
      expect(response.status).toBe(405)
      expect(await response.json()).toEqual({ detail: 'Method not allowed' })
      expect(response.headers.get('allow')).toBe('GET, POST, HEAD')
    },
  )

  test.each(['DELETE', 'POST', 'QUERY'])(
    'an unknown path with %s is 404 whatever its body is',
    async (method) => {
      const response = await server.get('/api/v1/probe/unknown', { ...post('{"x":', '@@@'), method })
      expect(response.status).toBe(404)
    },
  )
})

describe('SYS-G9 the server-wide cap lies above the stated sizes', () => {
  test('a file one byte above 5 MB meets the stated 400', async () => {
    const response = await server.get('/api/v1/probe/uploads', form(5_242_881))
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ detail: 'File too large (max 5MB)' })
  })

  test('a file far above 5 MB meets the stated 400 too', async () => {
    const response = await server.get('/api/v1/probe/uploads', form(12_000_000))
    expect([response.status, await response.json()]).toEqual([400, { detail: 'File too large (max 5MB)' }])
  })
})
