import { gzipSync } from 'node:zlib'
import { sendRaw } from '@crewhall/testkit/raw-http.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { describe, expect, test } from 'vitest'

const server = useSharedServer('probe')
const near = '/api/v1/probe/entries:near'
const info = '/api/v1/system/info'

const head = (line: string, headers: readonly string[] = []) => [
  `${line} HTTP/1.1`,
  'Host: localhost',
  'Connection: close',
  ...headers,
]
const postNear = (contentType: string, body: string | Uint8Array, more: readonly string[] = []) =>
  sendRaw(
    server.api.url,
    head(`POST ${near}`, [
      `Content-Type: ${contentType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...more,
    ]),
    body,
  )

describe('the Content-Type cannot lead a body around its validation', () => {
  const spellings = [
    'application/json\t',
    'application/json\t;charset=utf-8',
    '\tapplication/json',
    '  application/json',
    'APPLICATION/JSON',
    'application/json; charset=UTF-8',
    'application/json;charset="utf-8"',
  ]
  test.each(spellings)('%j is JSON: what is valid passes and what is not is refused', async (type) => {
    expect((await postNear(type, '{"depth":2}')).status).toBe(200)
    const refused = await postNear(type, '{"depth":9}')
    expect([refused.status, refused.body]).toEqual([422, expect.stringContaining('depth')])
  })

  const others = [
    'application/json\ta',
    'application/json a',
    'application/jsongarbage',
    'application/json garbage; charset=utf-8',
    'application/ json',
    'application/json\xa0',
    '\xa0application/json',
    'application/json;',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; x=y',
    'application/json, text/plain',
    'application/vnd.api+json',
    'text/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    '@@@',
    '',
  ]
  test.each(others)('%j is not JSON and is refused, whatever the body is', async (type) => {
    for (const body of ['{"depth":2}', '{"depth":9}']) expect((await postNear(type, body)).status).toBe(422)
  })

  test('of two Content-Types the first counts, and the body is validated', async () => {
    expect((await postNear('application/json', '{"depth":9}', ['Content-Type: text/plain'])).status).toBe(422)
    expect((await postNear('text/plain', '{"depth":2}', ['Content-Type: application/json'])).status).toBe(422)
  })
})

describe('a request that two readers may read in two ways is refused', () => {
  test.each([
    ['equal doubled Content-Length', ['Content-Length: 11']],
    ['unequal doubled Content-Length', ['Content-Length: 5']],
    ['Content-Length beside Transfer-Encoding', ['Transfer-Encoding: chunked']],
  ])('%s', async (_, more) => {
    const answer = await postNear('application/json', '{"depth":2}', more)
    expect([answer.status, JSON.parse(answer.body)]).toEqual([400, { detail: 'Malformed HTTP request' }])
  })

  test('a header with a control character', async () => {
    expect((await sendRaw(server.api.url, head(`GET ${info}`, ['X-A: a\x01b']))).status).toBe(400)
  })
})

test('headers above the limit are 431', async () => {
  const answer = await sendRaw(server.api.url, head(`GET ${info}`, [`X-Big: ${'a'.repeat(17_000)}`]))
  expect([answer.status, JSON.parse(answer.body)]).toEqual([431, { detail: 'Request headers are too large' }])
})

test('K23 SYS-16 a request without Host is 400 with a detail, as every other that cannot be read', async () => {
  const answer = await sendRaw(server.api.url, [`GET ${info} HTTP/1.1`, 'Connection: close'])
  expect([answer.status, JSON.parse(answer.body)]).toEqual([400, { detail: 'Malformed HTTP request' }])
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
})

describe('methods', () => {
  test('HEAD has the headers of GET and no body', async () => {
    const got = await sendRaw(server.api.url, head(`GET ${info}`))
    const asked = await sendRaw(server.api.url, head(`HEAD ${info}`))
    expect([asked.status, asked.body]).toEqual([200, ''])
    expect(asked.headers['content-length']).toBe(got.headers['content-length'])
  })

  test('TRACE is 405 and echoes nothing', async () => {
    const answer = await sendRaw(server.api.url, head(`TRACE ${info}`, ['X-Secret: hunter2']))
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD'])
    expect(JSON.stringify(answer)).not.toContain('hunter2')
  })

  test('OPTIONS is 405 and grants no other origin anything', async () => {
    const answer = await sendRaw(server.api.url, head(`OPTIONS ${info}`, ['Origin: https://evil.example']))
    expect(answer.status).toBe(405)
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  test('QUERY, which the framework knows and no route takes, is 405 without a body and with one', async () => {
    expect((await sendRaw(server.api.url, head(`QUERY ${info}`))).status).toBe(405)
    const typed = head(`QUERY ${info}`, ['Content-Type: application/json', 'Content-Length: 2'])
    expect((await sendRaw(server.api.url, typed, '{}')).status).toBe(405)
  })
})

describe('paths', () => {
  test.each([
    ['/api/v1/probe%2frows', 'Not found'],
    ['/api/v1/probe/rows%2f1', 'Not found'],
    ['/api/v1/probe/rows/1%2f2', 'Row not found'],
    ['/api/v1/probe/rows/%zz', 'Not found'],
    ['/api/v1/%zz', 'Not found'],
    ['/api/v1/probe/rows/1%00', 'Row not found'],
    ['/api/v1/probe/rows/%ed%a0%80', 'Not found'],
    ['/api/v1/probe/rows/1/', 'Not found'],
    ['/api/v1/probe//rows', 'Not found'],
    ['/api/v1/probe/../probe/rows', 'Not found'],
    ['/API/v1/system/info', 'Not found'],
    [`/api/v1/probe/rows/${'1'.repeat(600)}`, 'Row not found'],
  ])('%s is 404', async (path, detail) => {
    const answer = await sendRaw(server.api.url, head(`GET ${path}`))
    expect([answer.status, JSON.parse(answer.body)]).toEqual([404, { detail }])
  })

  test('the verb after a colon is part of the path', async () => {
    expect((await postNear('application/json', '{"depth":2}')).status).toBe(200)
    for (const verb of [':similar', 'ANYTHING', '::near', '', ':', ':nearer', '/near']) {
      const other = head(`POST /api/v1/probe/entries${verb}`, [
        'Content-Type: application/json',
        'Content-Length: 11',
      ])
      expect([verb, (await sendRaw(server.api.url, other, '{"depth":2}')).status]).toEqual([verb, 404])
    }
  })
})

test.each(['gzip', 'deflate', 'br', 'identity'])('a body in the encoding %s is refused', async (encoding) => {
  const bytes = gzipSync('{"depth":2}')
  const answer = await postNear('application/json', bytes, [`Content-Encoding: ${encoding}`])
  expect([answer.status, JSON.parse(answer.body)]).toEqual([
    422,
    { detail: 'Content-Encoding is not supported' },
  ])
})

test('a chunked body counts against the limit like any other', async () => {
  const chunk = 'a'.repeat(65_536)
  const chunks = Array.from({ length: 17 }, () => `10000\r\n${chunk}\r\n`).join('')
  const lines = head(`POST ${near}`, ['Content-Type: application/json', 'Transfer-Encoding: chunked'])
  expect((await sendRaw(server.api.url, lines, `${chunks}0\r\n\r\n`)).status).toBe(413)
})
