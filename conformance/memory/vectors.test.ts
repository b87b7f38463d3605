import { freePort } from '@crewhall/testkit/free-port.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { bagOfWords, startStandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { MemoryWorkspace } from './memory-world.ts'
import { isVectorOf, vectorRows } from './vector-rows.ts'

const model = await startStandInModel()
const metrics = await freePort()
const embeddings = {
  EMBEDDINGS: 'url',
  EMBEDDINGS_URL: model.url,
  EMBEDDINGS_MODEL: 'bag-of-words',
  EMBEDDINGS_DIMENSIONS: '64',
}
const server = useServer('product', embeddings)
let worker: ServerProcess
let work: MemoryWorkspace
beforeAll(async () => {
  work = await MemoryWorkspace.open(server)
})
beforeEach(() => model.reset())
afterAll(() => model.close())

const { waiting, isQuiet, vectorsOf } = vectorRows(server.sql)
/** Those that wait for their next attempt need not. */
const hurry = () => server.sql('update memory.embedding_queue set due_at = platform.now()')
const metric = async (name: string) => {
  const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()
  return Number(new RegExp(`^crewhall_${name} (.+)$`, 'm').exec(text)?.[1])
}
const addMany = (count: number, word: string) =>
  server.sql(
    `insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by)
     select $1, gen_random_uuid(), $2, 'fact', $4 || ' ' || n, 'Body', '', '{}', '{}' from generate_series(1, $3::int) n`,
    [work.brand_id, work.agent, count, word],
  )

// Before there is a worker, which would replace these vectors.
test('a memory farther away than a thousand of other kinds is found by its kind', async () => {
  const far = await MemoryWorkspace.open(server)
  const unit = (text: string) => {
    const vector = bagOfWords(text, 64)
    const length = Math.hypot(...vector)
    return JSON.stringify(vector.map((value) => value / length))
  }
  const add = (kind: string, count: number, vector: string) =>
    server.sql(
      `with made as (
         insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by)
         select $1, gen_random_uuid(), $2, $3, 'Untitled', 'Body', '', '{}', '{}' from generate_series(1, $4::int)
         returning brand_id, id, agent_id)
       insert into memory.embeddings (brand_id, memory_id, agent_id, model, dimension, text_hash, vector)
       select brand_id, id, agent_id, 'bag-of-words', 64, '', $5::halfvec from made`,
      [far.brand_id, far.agent, kind, count, vector],
    )
  await add('fact', 1050, unit('a needle in the hay'))
  await add('decision', 1, unit('something else'))
  const found = (await far.search({ query: 'a needle in the hay', kinds: 'decision', why: 'true' })).body
    .memories
  expect(found).toMatchObject([{ kind: 'decision', why: { vector_rank: 1 } }])
  await server.sql('delete from memory.embedding_queue where brand_id = $1', [far.brand_id])
})

test('a memory that changes often waits once, and one that is deleted does not wait', async () => {
  const { id } = await work.add({ title: 'Often' })
  for (let n = 0; n < 5; n += 1) await work.change(id, { body: `Version ${n}` })
  expect(await waiting()).toBe(1)
  const gone = await work.add({ title: 'Gone' })
  await work.call('DELETE', `/memories/${gone.id}`)
  expect(await waiting()).toBe(1)
  worker = await server.start('worker', { METRICS_PORT: String(metrics - 1) })
  await isQuiet()
  expect(model.embedded).toEqual(['Often\nVersion 4'])
})

test('a memory gets the vector of its text, and another one when the text changes', async () => {
  const { id } = await work.add({ title: 'Tin', body: 'Soft', description: 'A metal', tags: ['a', 'b'] })
  await isQuiet()
  const made = await vectorsOf(id)
  expect(made).toMatchObject([{ model: 'bag-of-words', dimension: 64 }])
  expect(made.map((row) => isVectorOf(row, 'Tin\nA metal\na b\nSoft'))).toEqual([true])
  for (const change of [{ title: 'Zinc' }, { body: 'Hard' }, { tags: ['c'] }, { description: 'One' }])
    await work.change(id, change)
  await isQuiet()
  expect((await vectorsOf(id)).map((row) => isVectorOf(row, 'Zinc\nOne\nc\nHard'))).toEqual([true])
  const before = model.calls.embeddings
  for (const change of [
    { confidence: 0.5 },
    { importance: 'high' },
    { status: 'archived' },
    { title: 'Zinc' },
  ])
    await work.change(id, change)
  expect([await waiting(), model.calls.embeddings]).toEqual([0, before])
})

test('a text that changes while it is embedded does not get the vector of the old one', async () => {
  model.delay_ms = 700
  const { id } = await work.add({ title: 'First text', body: 'x' })
  await waitFor(() => model.embedded.some((text) => text.startsWith('First text')), 90_000)
  await work.change(id, { title: 'Second text' })
  await isQuiet()
  expect((await vectorsOf(id)).map((row) => isVectorOf(row, 'Second text\nx'))).toEqual([true])
})

test('many memories are embedded in batches of up to 64', async () => {
  await addMany(150, 'Batch')
  await isQuiet()
  const sizes = model.bodies.map(({ input }) => (input as string[]).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(150)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(64)
  expect(sizes.length).toBeLessThan(20)
})

test('while the endpoint is away, writes and search go on, and vectors follow when it is back', async () => {
  model.mode = 'error'
  const { id } = await work.add({ title: 'Palladium', body: 'Rare' })
  await waitFor(() => model.calls.embeddings > 0, 60_000)
  await waitFor(async () => (await metric('embeddings_waiting')) === 1, 60_000)
  expect((await work.titles({ query: 'palladium' }))[0]).toBe('Palladium')
  expect(await vectorsOf(id)).toEqual([])
  model.mode = 'good'
  await waitFor(async () => (await hurry()) && (await waiting()) === 0, 90_000)
  expect(await vectorsOf(id)).toHaveLength(1)
})

test('a text that is again what it was keeps its vector, and no model is asked', async () => {
  const { id } = await work.add({ title: 'Iridium', body: 'Hard' })
  await isQuiet()
  model.mode = 'error'
  await work.change(id, { title: 'Rhodium' })
  await waitFor(() => model.embedded.includes('Rhodium\nHard'), 60_000)
  await work.change(id, { title: 'Iridium' })
  const { embeddings: calls } = model.calls
  await waitFor(async () => (await hurry()) && (await waiting()) === 0, 90_000)
  expect(model.calls.embeddings).toBe(calls)
  expect((await vectorsOf(id)).map((row) => isVectorOf(row, 'Iridium\nHard'))).toEqual([true])
})

/** Words that search by text passes over, so that only vectors can find them. */
const unheard = 'why who how'
const found = async (more: Record<string, string> = {}, agent = work.agent) =>
  (await work.search({ query: unheard, why: 'true', limit: '50', ...more }, agent)).body.memories

test('MEMO-14: search finds by vectors what it cannot find by words, and why=true tells the rank', async () => {
  const agent = await work.newAgent('meaning')
  await work.add({ agent_id: agent, title: 'Lunch', body: 'At noon' })
  await work.add({ agent_id: agent, title: 'Who, how, why', body: 'who' })
  await isQuiet()
  const items = await found({}, agent)
  expect(items.map(({ title, why }) => [title, why])).toMatchObject([
    ['Who, how, why', { text_rank: null, vector_rank: 1 }],
    ['Lunch', { text_rank: null, vector_rank: 2 }],
  ])
  const both = (await work.search({ query: 'lunch at noon', why: 'true' }, agent)).body.memories
  expect(both[0]).toMatchObject({ title: 'Lunch', why: { text_rank: 1, vector_rank: 1 } })
})

test('MEMO-16 MEMO-19 MEMO-20 MEMO-36: what is archived, faded, of another kind or another agent is not found by vectors either', async () => {
  const agent = await work.newAgent('hidden')
  const other = await work.newAgent('other')
  const add = (title: string, more: object = {}) =>
    work.add({ agent_id: agent, title: `Why ${title}`, body: 'who how', ...more })
  await add('live')
  const archived = await add('archived')
  await work.change(archived.id, { status: 'archived' })
  await add('faded', { confidence: 0.29 })
  await work.age((await add('aged')).id, 400)
  await add('decided', { kind: 'decision' })
  await add('elsewhere', { agent_id: other })
  await isQuiet()
  const titles = async (more = {}) => (await found(more, agent)).map(({ title }) => title).toSorted()
  expect(await titles()).toEqual(['Why decided', 'Why live'])
  expect(await titles({ kinds: 'decision' })).toEqual(['Why decided'])
})

test('C7: the vector of a query is computed once', async () => {
  await found({ query: 'why not' })
  const { embeddings: calls } = model.calls
  expect(calls).toBe(1)
  await found({ query: 'why not' })
  expect(model.calls.embeddings).toBe(1)
})

test('vectors of another model or dimension are never compared', async () => {
  const agent = await work.newAgent('models')
  const one = await work.add({ agent_id: agent, title: 'Why', body: 'who' })
  const two = await work.add({ agent_id: agent, title: 'How', body: 'who' })
  await isQuiet()
  expect(await found({}, agent)).toHaveLength(2)
  await server.sql(`update memory.embeddings set model = 'another' where memory_id = $1`, [one.id])
  await server.sql(`update memory.embeddings set dimension = 2, vector = '[1,0]' where memory_id = $1`, [
    two.id,
  ])
  expect(await found({}, agent)).toEqual([])
  await work.change(two.id, { title: 'Copper' })
  expect((await found({ query: 'copper' }, agent)).map(({ id }) => id)).toEqual([two.id])
  await isQuiet()
  expect((await found({}, agent)).map(({ id }) => id)).toEqual([two.id])
})

test('C2: while embeddings are away or silent, search is by text, and does not wait for long', async () => {
  const agent = await work.newAgent('away')
  const { id } = await work.add({ agent_id: agent, title: 'Osmium', body: 'Dense' })
  await isQuiet()
  model.mode = 'hang'
  const began = performance.now()
  const silent = await work.search({ query: 'osmium one', why: 'true' }, agent)
  expect(performance.now() - began).toBeLessThan(10_000)
  model.mode = 'error'
  const away = await work.search({ query: 'osmium two', why: 'true' }, agent)
  for (const { status, body } of [silent, away]) {
    expect(status).toBe(200)
    expect(body.memories).toMatchObject([{ id, why: { text_rank: 1, vector_rank: null } }])
  }
})

test('another model: all memories are embedded again in bites, and no vector of another one stays', async () => {
  await addMany(30, 'Again')
  await isQuiet()
  const count = async (from: string) =>
    Number((await server.sql<{ n: string }>(`select count(*) as n from memory.${from}`))[0]?.n)
  const all = await count('memories')
  await worker.stop()
  model.dimension = 32
  worker = await server.start('worker', { EMBEDDINGS_MODEL: 'small', EMBEDDINGS_DIMENSIONS: '32' })
  await waitFor(async () => (await count(`embeddings where model = 'small'`)) === all, 120_000)
  expect(await count('embeddings')).toBe(all)
  expect(await server.sql('select model, dimension, seen::int, is_done from memory.embedding_walk')).toEqual([
    { model: 'small', dimension: 32, seen: all, is_done: true },
  ])
})

test('the built-in model finds a memory by its meaning', async () => {
  await worker.stop()
  const offline = { EMBEDDINGS: 'offline', EMBEDDINGS_QUERY_TIMEOUT_MS: '60000' }
  worker = await server.start('worker', offline)
  const { url } = await server.start('api', offline)
  const through = { sql: server.sql, get: (path: string, init?: RequestInit) => fetch(`${url}${path}`, init) }
  const own = await MemoryWorkspace.open(through)
  await own.add({ title: 'Nightly backups', body: 'The database is copied to another region every night.' })
  await own.add({ title: 'Team lunch', body: 'We eat together on Fridays.' })
  await own.add({ title: 'Style of code', body: 'Tabs are not used; lines end at 110 characters.' })
  await waitFor(
    async () =>
      (
        await server.sql(`select from memory.embeddings where brand_id = $1 and dimension = 512`, [
          own.brand_id,
        ])
      ).length === 3,
    120_000,
  )
  const { body } = await own.search({ query: 'How do we recover from losing our data?', why: 'true' })
  expect(body.memories[0]).toMatchObject({
    title: 'Nightly backups',
    why: { text_rank: null, vector_rank: 1 },
  })
})
