import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { describe, expect, test } from 'vitest'

const server = useSharedServer('probe')
const rows = '/api/v1/probe/rows'
const thing = '/api/v1/probe/things/00000000-0000-4000-8000-000000000001'

const send = async (method: string, path: string, body: string) => {
  const response = await server.get(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body,
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const put = (body: string) => send('PUT', thing, body)
const addRow = (body: string) => send('POST', rows, body)

describe('nothing is coerced', () => {
  test.each(['null', '"false"', '"true"', '0', '1', '""', '[]', '[true]', '{}'])(
    'on: %s is refused',
    async (on) => {
      const { status, body } = await put(`{"on":${on}}`)
      expect(status).toBe(422)
      expect(body.detail).toMatch(/^on: .*boolean/)
    },
  )

  test.each(['true', 'false', '"5"', '""', '[5]', '{}', '1.5', '"null"'])(
    'limit_value: %s is refused',
    async (value) => {
      const { status, body } = await put(`{"on":true,"limit_value":${value}}`)
      expect(status).toBe(422)
      expect(body.detail).toMatch(/^limit_value: /)
    },
  )

  test('null stays null where the contract takes it, and does not become 0', async () => {
    expect((await put('{"on":false,"limit_value":null}')).body).toMatchObject({
      on: false,
      limit_value: null,
    })
  })

  test('null does not stand for a missing text or list', async () => {
    expect((await addRow('{"name":null}')).status).toBe(422)
    expect((await put('{"on":true,"tags":null}')).status).toBe(422)
    expect((await put('{"on":true,"tags":"a"}')).status).toBe(422)
  })
})

describe('numbers', () => {
  test.each([
    '0',
    '-0',
    '-1',
    '401',
    '2147483648',
    '9007199254740993',
    '99999999999999999999',
    '1e400',
    '-1e400',
  ])('%s outside 1 to 400 is refused', async (value) => {
    expect((await put(`{"on":true,"limit_value":${value}}`)).status).toBe(422)
  })

  test.each([
    ['1', 1],
    ['4e2', 400],
    ['1.0', 1],
  ])('%s is the whole number %i', async (text, value) => {
    expect((await put(`{"on":true,"limit_value":${text}}`)).body).toMatchObject({ limit_value: value })
  })
})

describe('unknown fields', () => {
  test.each(['x', 'constructor', 'prototype', 'toString', '__defineGetter__', 'ON'])(
    '%s is refused by a strict contract',
    async (name) => {
      const { status, body } = await put(`{"on":true,"${name}":1}`)
      expect([status, body.detail]).toEqual([422, `${name}: unknown field`])
    },
  )

  test('constructor and toString are ignored elsewhere', async () => {
    const { status, body } = await addRow('{"name":"plain","constructor":{"prototype":{"x":1}},"toString":1}')
    expect([status, body.name]).toEqual([201, 'plain'])
  })

  test.each([
    '{"name":"x","__proto__":{"admin":true}}',
    '{"name":"x","a":[{"\\u005f_proto__":1}]}',
    '{"name":"x","__\\u0070roto__":1}',
  ])('__proto__ is refused anywhere: %s', async (text) => {
    expect(await addRow(text)).toEqual({
      status: 422,
      body: { detail: 'body: must not contain __proto__' },
    })
  })
})

describe('text that is no text', () => {
  test.each([
    ['a NUL', '{"name":"a\\u0000b"}', 'name'],
    ['an unpaired high surrogate', '{"name":"\\ud83d"}', 'name'],
    ['an unpaired low surrogate', '{"name":"\\ude00"}', 'name'],
    ['surrogates in the wrong order', '{"name":"\\ude00\\ud83d"}', 'name'],
    ['a NUL in an unknown field', '{"name":"x","deep":{"list":["\\u0000"]}}', 'deep.list.0'],
    ['a NUL in a name', '{"name":"x","deep":{"a\\u0000":1}}', 'deep'],
  ])('%s is refused and named', async (_, text, field) => {
    expect(await addRow(text)).toEqual({
      status: 422,
      body: { detail: `${field}: must not contain NUL or unpaired surrogates` },
    })
  })

  test('every other character is kept as it was sent', async () => {
    const name = '😀 e\u0301 \u202e \ufeff \u2028 \t \u0001 \uffff "\\/ <b> \' --'
    expect((await addRow(JSON.stringify({ name }))).body.name).toBe(name)
  })

  test('characters are counted, not code units', async () => {
    expect((await addRow(JSON.stringify({ name: '😀'.repeat(200) }))).status).toBe(201)
    expect((await addRow(JSON.stringify({ name: '😀'.repeat(201) }))).status).toBe(422)
  })
})

describe('size and depth', () => {
  const sized = (bytes: number) => {
    const [open, close] = ['{"name":"x","pad":"', '"}']
    return open + 'p'.repeat(bytes - open.length - close.length) + close
  }
  test('a body of exactly 1 MiB is taken', async () => {
    expect((await addRow(sized(1_048_576))).status).toBe(201)
  })

  test('a body of one byte more is 413', async () => {
    expect(await addRow(sized(1_048_577))).toEqual({
      status: 413,
      body: { detail: 'Request body is too large' },
    })
  })

  const nested = (levels: number) => `{"name":"x","deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  test('64 levels are taken and 65 are refused', async () => {
    expect((await addRow(nested(64))).status).toBe(201)
    expect(await addRow(nested(65))).toEqual({
      status: 422,
      body: { detail: 'body: nested deeper than 64 levels' },
    })
  })

  test('10,000 levels are refused, and brackets in a text are none', async () => {
    expect((await addRow(nested(10_000))).status).toBe(422)
    expect((await addRow('{"a":'.repeat(10_000))).status).toBe(422)
    expect((await addRow(JSON.stringify({ name: 'x', deep: '[{"'.repeat(5_000) }))).status).toBe(201)
  })
})
