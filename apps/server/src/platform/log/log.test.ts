import { databaseUrl } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import pg from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { createLog, requestLines } from '#platform/log/log.ts'

let written = ''
const log = createLog({
  level: 'info',
  process_name: 'test',
  destination: {
    write: (line) => {
      written += line
    },
  },
})
const last = (): Record<string, unknown> => JSON.parse(written) as Record<string, unknown>

beforeEach(() => {
  written = ''
})

test('a line is JSON with time, level, process and message', () => {
  log.info({ rows: 3 }, 'done')
  expect(last()).toMatchObject({ level: 'info', process: 'test', rows: 3, msg: 'done' })
  expect(last().time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
})

const hidden = 's3cr3t-Value'

test.for([
  ['a token in a message', {}, 'token chp_abcdef123456 was refused', 'chp_'],
  ['a signing secret', { note: 'signed with whsec_c2VjcmV0' }, 'x', 'whsec_'],
  ['a token in a field', { note: 'chp_abcdef123456 came' }, 'x', 'chp_'],
  ['a bearer credential', { header: `Bearer ${hidden}` }, 'x', hidden],
  ['the password of a URL', {}, `cannot reach postgres://crewhall:${hidden}@db:5432/x`, hidden],
  ['a token in a query string', {}, `GET /hook?a=1&access_token=${hidden}`, hidden],
  ['a field called password', { password: hidden }, 'x', hidden],
  ['a field called token, one level down', { user: { token: hidden } }, 'x', hidden],
  ['a field called secret, two levels down', { a: { b: { secret: hidden } } }, 'x', hidden],
  [
    'a field called password, four levels down',
    { a: { b: { c: { d: { password: hidden } } } } },
    'x',
    hidden,
  ],
  ['a field whose name ends in password', { a: { new_password: hidden } }, 'x', hidden],
  ['a secret with quotes in it', { password: `"${hidden}"\\"${hidden}` }, 'x', hidden],
  ['the headers of a request', { req: { headers: { authorization: hidden, cookie: hidden } } }, 'x', hidden],
] as const)('%s is not logged', ([, facts, message, secret]) => {
  log.info(facts, message)
  expect(written).not.toContain(secret)
  expect(written).toContain('[redacted]')
  expect(last().level).toBe('info')
})

test('secrets in an error, in its causes and in its stack are not logged', () => {
  const cause = new Error(`connect redis://:${hidden}@cache:6379 failed`)
  log.error({ error: new Error(`token chp_abcdef123456 is bad`, { cause }) }, 'failed')
  expect(written).not.toContain(hidden)
  expect(written).not.toContain('abcdef123456')
  expect(last()).toMatchObject({ error: { name: 'Error', cause: { name: 'Error' } } })
})

test('a child logger keeps secrets to itself as well', () => {
  log.child({ token: hidden }).info({ password: hidden }, 'x')
  expect(written).not.toContain(hidden)
})

test('the line of a request is the one that the general way would write', () => {
  const facts = {
    request_id: 'caller.id_1234-AB',
    route: 'boards.readCard',
    method: 'GET',
    path: '/api/v1/"quoted"\\\u00e9',
    status: 200,
    ms: 1.5,
  }
  requestLines(log)(facts)
  const short = last()
  written = ''
  log.info(facts)
  expect({ ...short, time: '' }).toEqual({ ...last(), time: '' })
  expect(short.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
})

test.for([
  ['its path', { path: '/api/v1/rows/chp_abcdef123456' }, 'chp_'],
  ['a URL in its path', { path: `/api/v1/postgres://crewhall:${hidden}@db/x` }, hidden],
  ['a bearer in its path', { path: `/api/v1/Bearer ${hidden}` }, hidden],
  ['its id', { request_id: 'chp_abcdef123456' }, 'chp_'],
] as const)('a secret in the line of a request is not logged: %s', ([, given, secret]) => {
  const facts = { request_id: 'caller.id', route: 'none', method: 'GET', path: '/', status: 404, ms: 1 }
  requestLines(log)({ ...facts, ...given })
  expect(written).not.toContain(secret)
  expect(written).toContain('[redacted]')
  expect(last().level).toBe('info')
})

test('the line of a request is written at its level only', () => {
  const quiet = createLog({
    level: 'warn',
    process_name: 'test',
    destination: {
      write: (line) => {
        written += line
      },
    },
  })
  requestLines(quiet)({
    request_id: 'caller.id',
    route: 'none',
    method: 'GET',
    path: '/',
    status: 404,
    ms: 1,
  })
  expect(written).toBe('')
})

test('what is not secret is left as it is', () => {
  const facts = {
    url: 'https://example.org/a?page=2',
    tokens_used: 12,
    email: 'a@b.example',
    time_of: '10:30',
  }
  log.info(facts, 'see http://example.org:8080/x@y')
  expect(last()).toMatchObject({ ...facts, msg: 'see http://example.org:8080/x@y' })
})

test.for([
  ['a value of the wrong shape', 'select $1::int', '22P02'],
  ['a value out of range', 'select ($1 || $2)::timestamptz', '22007'],
])('an error about %s tells its code and not the value', async ([, sql, code]) => {
  const client = new pg.Client(databaseUrl(templateName('product')))
  await client.connect()
  const values = sql?.includes('$2') ? ['s3cr3t', '-Value'] : [hidden]
  const error = await client.query(sql ?? '', values).catch((reason: unknown) => reason)
  await client.end()
  expect(String(error)).toContain(hidden)
  log.error({ error }, 'failed')
  expect(written).not.toContain(hidden)
  expect(last()).toMatchObject({ error: { code, message: expect.stringContaining('[redacted]') } })
})

test('what a driver attaches to an error is not logged', async () => {
  const client = new pg.Client(databaseUrl(templateName('product')))
  await client.connect()
  await client.query('create temporary table people (email text unique)')
  const insert = () => client.query('insert into people values ($1)', [hidden])
  await insert()
  const error = await insert().catch((reason: unknown) => reason)
  await client.end()
  expect(JSON.stringify(error)).toContain(hidden)
  log.error({ error: Object.assign(error as Error, { parameters: [hidden] }) }, 'failed')
  expect(written).not.toContain(hidden)
  expect(last()).toMatchObject({ error: { code: '23505' } })
})

test('causes that go in a circle end', () => {
  const error = new Error('round')
  error.cause = error
  log.error({ error }, 'failed')
  expect(last()).toMatchObject({ error: { message: 'round', cause: { message: 'round' } } })
})

test('what was thrown and is no error is logged as text', () => {
  log.error({ error: 'just a text' }, 'failed')
  expect(last()).toMatchObject({ error: { message: 'just a text' } })
})
