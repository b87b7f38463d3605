import { createHash } from 'node:crypto'
import { sendRaw } from '@crewhall/testkit/raw-http.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { describe, expect, test } from 'vitest'

const server = useSharedServer('probe')
const path = '/api/v1/probe/uploads'
const badForm = { detail: 'body: not a valid multipart form' }

const send = async (body: RequestInit['body'], headers: Record<string, string> = {}) => {
  const response = await server.get(path, { method: 'POST', headers, ...(body ? { body } : {}) })
  return { status: response.status, body: (await response.json()) as unknown }
}
const formOf = (parts: readonly [name: string, value: string | Blob][]) => {
  const form = new FormData()
  for (const [name, value] of parts) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, 'a.bin')
  }
  return form
}
const file = (bytes: number) => new Blob([Buffer.alloc(bytes, 7)])
const raw = (body: string, type = 'multipart/form-data; boundary=b') =>
  sendRaw(
    server.api.url,
    [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      'Connection: close',
      `Content-Type: ${type}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
    ],
    body,
  )
const part = (disposition: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\nhello\r\n--b--\r\n`

test('a file of exactly 5,242,880 bytes arrives whole', async () => {
  const sha256 = createHash('sha256').update(Buffer.alloc(5_242_880, 7)).digest('hex')
  const { status, body } = await send(formOf([['file', file(5_242_880)]]))
  expect(status).toBe(200)
  expect(body).toMatchObject({ bytes: 5_242_880, sha256, filename: 'a.bin' })
})

test.each([5_242_881, 5_400_000, 20_000_000])('a file of %i bytes is too large', async (bytes) => {
  expect(await send(formOf([['file', file(bytes)]]))).toEqual({
    status: 400,
    body: { detail: 'File too large (max 5MB)' },
  })
})

test('a file that is too large is refused under another name too', async () => {
  expect((await send(formOf([['other', file(5_242_881)]]))).status).toBe(400)
})

test('an empty file is a file', async () => {
  expect(await send(formOf([['file', file(0)]]))).toMatchObject({ status: 200, body: { bytes: 0 } })
})

test.each([
  ['another field name', formOf([['other', file(3)]])],
  ['a text in the place of the file', formOf([['file', 'text']])],
])('%s is no file', async (_, form) => {
  expect(await send(form)).toEqual({ status: 400, body: { detail: 'No file' } })
})

test('fields beside the file are ignored', async () => {
  const form = formOf([
    ['note', 'x'],
    ['file', file(3)],
    ['note', 'y'],
  ])
  expect(await send(form)).toMatchObject({ status: 200, body: { bytes: 3 } })
})

describe('a form with too much in it is refused', () => {
  test.each([
    ['1,000 fields', Array.from({ length: 1000 }, (_, n): [string, string] => [`f${n}`, 'v'])],
    ['1,000 files', Array.from({ length: 1000 }, (): [string, Blob] => ['file', file(1)])],
    ['two files', Array.from({ length: 2 }, (): [string, Blob] => ['file', file(1)])],
    ['a field named __proto__', [['__proto__', 'x']] as [string, string][]],
  ])('%s', async (_, parts) => {
    expect(await send(formOf(parts))).toEqual({ status: 422, body: badForm })
  })
})

describe('what is not a form is refused', () => {
  const wrongType = { detail: 'Content-Type must be multipart/form-data' }
  test.each([
    ['JSON', '{}', { 'content-type': 'application/json' }],
    ['bytes', 'abc', { 'content-type': 'application/octet-stream' }],
    [
      'another multipart',
      part('name="file"; filename="a"'),
      { 'content-type': 'multipart/mixed; boundary=b' },
    ],
    ['nothing', undefined, {}],
  ])('%s', async (_, body, headers) => {
    expect(await send(body, headers as Record<string, string>)).toEqual({ status: 422, body: wrongType })
  })

  test.each([
    ['no boundary', part('name="file"; filename="a"'), 'multipart/form-data'],
    ['another boundary', part('name="file"; filename="a"'), 'multipart/form-data; boundary=zzz'],
    [
      'a boundary without end',
      part('name="file"; filename="a"'),
      `multipart/form-data; boundary=${'b'.repeat(5000)}`,
    ],
    ['a form cut in a file', part('name="file"; filename="a"').slice(0, -10), undefined],
    ['a form cut in a header', '--b\r\nContent-Dispo', undefined],
  ])('%s', async (_, body, type) => {
    const answer = await raw(body, type)
    expect([answer.status, JSON.parse(answer.body)]).toEqual([422, badForm])
  })
})

describe('the name of a file', () => {
  test.each([
    ['a path', 'filename="../../etc/passwd"', 'passwd'],
    ['missing', '', ''],
    ['encoded', `filename*=utf-8''%C3%A9.png`, 'é.png'],
  ])('that is %s is made harmless', async (_, name, told) => {
    const type = 'Content-Type: application/octet-stream\r\n'
    const answer = await raw(part(`name="file"${name ? `; ${name}` : ''}`, type))
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      200,
      expect.objectContaining({ filename: told }),
    ])
  })

  test.each(['filename="a\0b"', `filename*=utf-8''a%00b`])('with a NUL is refused: %j', async (name) => {
    const answer = await raw(part(`name="file"; ${name}`))
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      422,
      { detail: 'filename: must not contain NUL or unpaired surrogates' },
    ])
  })
})
