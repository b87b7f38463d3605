import { Refusal } from '@crewhall/contracts/refusal.ts'
import { anyone, route } from '@crewhall/contracts/route.ts'
import fc from 'fast-check'
import Fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { leaveBodiesUnread, readJsonBody } from '#platform/http/request/json-body.ts'

const spec = route({
  id: 'test.write',
  method: 'POST',
  path: '/api/v1/test',
  summary: 'Test',
  auth: anyone(),
  body: z.unknown(),
  responses: { 200: z.object({}) },
})
const app = Fastify()
leaveBodiesUnread(app)
app.setErrorHandler((error, _, reply) => {
  if (!(error instanceof Refusal)) throw error
  return reply.code(error.status).send({ detail: error.detail })
})
const { body: _, ...bare } = spec
app.post('/with', async (request, reply) => ({ got: await readJsonBody(spec, request, reply, 1_048_576) }))
app.post('/without', async (request, reply) => ({
  got: (await readJsonBody(bare, request, reply, 1_048_576)) === undefined,
}))
afterAll(() => app.close())

const post = (payload: string | Buffer, url = '/with', type = 'application/json') =>
  app.inject({ method: 'POST', url, payload, headers: { 'content-type': type } })

/** Levels of arrays and objects, counted on the parsed value: another way than the code's. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

test('values of up to 64 levels arrive as they were sent', async () => {
  const cases = fc.sample(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), 300)
  for (const value of cases) {
    const payload = JSON.stringify(value)
    if (payload.includes('"__proto__"')) continue
    expect((await post(payload)).json()).toEqual({ got: JSON.parse(payload) })
  }
})

test.each([
  [64, 200],
  [65, 422],
])('%i levels are answered with %i, whatever they are made of', async (levels, status) => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"]}":', '}]'],
  ] as const) {
    const per = depthOf(JSON.parse(`${open}1${close}`))
    const times = Math.ceil(levels / per)
    const payload = `${open.repeat(times)}1${close.repeat(times)}`
    expect((await post(payload)).statusCode).toBe(status)
  }
})

test('brackets, quotes and backslashes inside texts are no levels', async () => {
  const payload = JSON.stringify({ a: '[{"\\'.repeat(200), 'k[[{"\\': '\\' })
  expect((await post(payload)).json()).toEqual({ got: JSON.parse(payload) })
})

test('closing brackets do not buy more levels', async () => {
  expect((await post(`${']'.repeat(100)}${'['.repeat(160)}`)).statusCode).toBe(422)
})

test('bytes that are not UTF-8 are refused', async () => {
  const answer = await post(Buffer.from([0x22, 0xc3, 0x28, 0x22]))
  expect([answer.statusCode, answer.json()]).toEqual([422, { detail: 'body: not valid UTF-8' }])
})

test('a route without a body ignores what is sent, of whatever type', async () => {
  for (const type of ['application/json', 'text/plain', 'image/png']) {
    expect((await post('{', '/without', type)).json()).toEqual({ got: true })
  }
})
