import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import {
  failureModes,
  type Prompt,
  type StandInModel,
  startStandInModel,
} from '@crewhall/testkit/stand-in-model.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { WorldServer } from '@crewhall/testkit/world/workspace.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Item, MemoryWorkspace } from './memory-world.ts'

const server = useSharedServer('product')
let model: StandInModel
let patient: WorldServer
let work: MemoryWorkspace
/** The same workspace by a process whose recalls end soon. */
let hasty: MemoryWorkspace

beforeAll(async () => {
  model = await startStandInModel()
  const through = async (timeout_ms: number) => {
    const { url } = await server.start('api', {
      LLM_URL: model.url,
      LLM_MODEL: 'stand-in',
      RECALL_TIMEOUT_MS: String(timeout_ms),
    })
    return { sql: server.sql, get: (path: string, init?: RequestInit) => fetch(`${url}${path}`, init) }
  }
  const [slow, impatient] = await Promise.all([through(20_000), through(3000)])
  patient = slow
  work = await MemoryWorkspace.open(patient)
  hasty = new MemoryWorkspace(impatient, work)
  await work.world.sql(
    `insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by, created_at)
     select $1, gen_random_uuid(), $2, 'fact', 'Copper ' || repeat('copper ', n % 5), 'Wire ' || n || repeat(' 构"建', 2400),
       '', '{}', '{}', platform.now() - make_interval(mins => n)
     from generate_series(1, 120) n`,
    [work.brand_id, work.agent],
  )
})
beforeEach(() => model.reset())
afterAll(() => model.close())

const idsOf = (items: readonly Item[]) => items.map(({ id }) => id)
/** The numbers in a prompt, in its order. */
const numbersIn = ({ user }: Prompt) => [...user.matchAll(/^\{"id":(\d+)/gm)].map(([, id]) => Number(id))
const ask = { query: 'copper', limit: '50' }
const ofText = async (limit = '50') => (await work.search({ query: 'copper', limit })).text

test('MEMO-33: the model sees 100 candidates in the order of the search in one call, and its order is returned', async () => {
  model.answer = (prompt) => ({ ids: numbersIn(prompt).toReversed() })
  const reversed = await work.recall(ask)
  expect([reversed.status, reversed.headers.get('x-reranked'), reversed.body.count]).toEqual([
    200,
    'true',
    50,
  ])
  model.answer = (prompt) => ({ ids: numbersIn(prompt) })
  const same = await work.recall(ask)
  expect([same.text, same.headers.get('x-reranked')]).toEqual([await ofText(), 'true'])
  expect(numbersIn(model.prompts[0] as Prompt)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1))
  expect(model.calls.chat).toBe(2)
  expect(idsOf(reversed.body.memories)).not.toContain(same.body.memories[0]?.id)
  model.answer = (prompt) => ({ ids: numbersIn(prompt).toReversed().slice(0, 60) })
  expect((await work.recall(ask)).text).toBe(reversed.text)
})

test('MEMO-33: what the model leaves out comes last in the order of the search, and limit holds', async () => {
  const [first, second, third] = idsOf((await work.search(ask)).body.memories)
  model.answer = () => ({ ids: [3] })
  const { body, headers } = await work.recall({ query: 'copper', limit: '3' })
  expect([idsOf(body.memories), body.count, headers.get('x-reranked')]).toEqual([
    [third, first, second],
    3,
    'true',
  ])
})

test('MEMO-33: a prompt of 100 long memories stays within 16,000 tokens, tells what is wanted, and has no ids of ours', async () => {
  model.answer = () => ({ ids: [1] })
  const { body } = await work.recall({ query: `copper ${'铜"'.repeat(900)}`, limit: '7' })
  const [{ system, user } = { system: '', user: '' }] = model.prompts
  // A token has at least one and a half characters of these texts.
  expect((system.length + user.length) / 1.5).toBeLessThan(16_000)
  expect(system).toContain('at most 7 notes')
  expect(user).not.toContain(body.memories[0]?.id)
  expect(model.bodies[0]).toMatchObject({ max_tokens: 2000, stream: false })
})

const quick = failureModes.filter((mode) => mode !== 'hang' && mode !== 'drip')
test.for(quick)('MEMO-34: a model that fails by %s leaves the order of the search', async (mode) => {
  const expected = [await ofText(), await ofText('7')]
  model.answer = (prompt) => ({ ids: numbersIn(prompt).toReversed() })
  model.next = [mode, 'good', mode]
  const all = [await work.recall(ask), await work.recall(ask), await work.recall({ ...ask, limit: '7' })]
  expect(all.map(({ status, headers }) => [status, headers.get('x-reranked')])).toEqual([
    [200, 'false'],
    [200, 'true'],
    [200, 'false'],
  ])
  expect([all[0]?.text, all[2]?.text]).toEqual(expected)
  // Never a second attempt.
  expect(model.calls.chat).toBe(3)
})

test('MEMO-34: a model that hangs or drips is cut off in time, and leaves the order of the search', async () => {
  const expected = await ofText()
  model.answer = () => ({ ids: [2, 1] })
  // Has loaded what it needs for a call.
  await waitFor(async () => (await hasty.recall(ask)).headers.get('x-reranked') === 'true', 60_000)
  const before = model.calls.chat
  model.next = ['hang', 'drip']
  const began = performance.now()
  const all = await Promise.all([hasty.recall(ask), hasty.recall(ask)])
  // Twice 8 s would be the default.
  expect(performance.now() - began).toBeLessThan(15_000)
  for (const { status, text, headers } of all)
    expect([status, text, headers.get('x-reranked')]).toEqual([200, expected, 'false'])
  expect(model.calls.chat - before).toBe(2)
  await waitFor(() => model.open() === 0, 30_000)
})

test.for([
  ['repeats one', { ids: [1, 2, 1] }],
  ['names one too many', { ids: [1, 101] }],
  ['counts from 0', { ids: [0, 1] }],
  ['chooses none', { ids: [] }],
  ['sends another shape', { order: [1] }],
  ['sends texts', { ids: ['1'] }],
] as const)('MEMO-34: a model that %s leaves the order of the search', async ([, answer]) => {
  model.answer = () => answer
  const { status, text, headers } = await work.recall(ask)
  expect([status, text, headers.get('x-reranked')]).toEqual([200, await ofText(), 'false'])
})

test('MEMO-35: without a match the model is not asked', async () => {
  const { status, body, headers } = await work.recall({ query: 'qwertzuiop' })
  expect([status, body]).toEqual([200, { memories: [], count: 0, agent_id: work.agent }])
  expect([headers.get('x-reranked'), model.calls.chat]).toEqual(['false', 0])
})

test('MEMO-26: the order of the model holds in every format', async () => {
  const fresh = await work.newAgent('formats')
  for (const title of ['Tin one', 'Tin two']) await work.add({ agent_id: fresh, title, body: 'x' })
  model.answer = () => ({ ids: [2, 1] })
  for (const format of ['yaml', 'md', 'json']) {
    const { text, headers } = await work.recall({ query: 'tin', format }, fresh)
    expect([format, text.indexOf('Tin one') < text.indexOf('Tin two')]).toEqual([format, true])
    expect(headers.get('x-reranked')).toBe('true')
  }
})

test('a caller who hangs up ends the call to the model', async () => {
  model.mode = 'hang'
  const controller = new AbortController()
  const path = `/api/v1/memory/agents/${work.agent}/context/relevant?query=copper`
  const headers = { authorization: `Bearer ${work.token}` }
  const call = patient
    .get(path, { method: 'POST', headers, signal: controller.signal })
    .catch((error: unknown) => (error as Error).name)
  await waitFor(() => model.calls.chat === 1, 30_000)
  controller.abort()
  expect(await call).toBe('AbortError')
  // The limit of the recall is twice as long.
  await waitFor(() => model.open() === 0, 10_000)
})

test('MEMO-37: the model is never asked about the agent of another workspace', async () => {
  const other = await MemoryWorkspace.open(server, 'other-bot')
  await other.add({ title: 'Copper' })
  expect((await work.recall({ query: 'copper' }, other.agent)).status).toBe(403)
  expect(model.calls.chat).toBe(0)
})
