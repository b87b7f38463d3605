import { Writable } from 'node:stream'
import { type StandInModel, startStandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createEmbeddings, type EmbeddingSource, type Embeddings } from '#platform/embeddings/embeddings.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'

const outside = { is_outside: true } as const
const query = { kind: 'query', owner: '1' } as const
const documents = { kind: 'document', owner: '1' } as const
const outage = (reason: string) => ({ name: 'Outage', part: 'embeddings', reason })
const key = 'sk-a-key-that-nobody-may-see'

let model: StandInModel
const opened: Embeddings[] = []
beforeAll(async () => {
  model = await startStandInModel()
})
beforeEach(() => model.reset())
afterAll(async () => {
  for (const each of opened) await each.close()
  await model.close()
})

type Endpoint = Extract<EmbeddingSource, { kind: 'url' }>

function embeddings(changes: Partial<Endpoint> & { query_ms?: number } = {}) {
  const lines: string[] = []
  const destination = new Writable({
    write(line, _, done) {
      lines.push(String(line))
      done()
    },
  })
  const metrics = createMetrics()
  const { query_ms = 20_000, ...endpoint } = changes
  const source: Endpoint = {
    kind: 'url',
    url: model.url,
    api_key: key,
    model: 'bag-of-words',
    dimension: 64,
    sends_dimension: false,
    prefix: { query: '', document: '' },
    piece_characters: 100,
    concurrency: 4,
    limit_ms: { query: 20_000, document: 20_000 },
    ...endpoint,
  }
  const log = createLog({ level: 'debug', process_name: 'test', destination })
  const made = createEmbeddings({ source, query_ms }, log, metrics)
  opened.push(made)
  return { embeddings: made, metrics, lines }
}

const cosine = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  Array.from(a ?? []).reduce((sum, value, n) => sum + value * (b?.[n] ?? 0), 0)

test('texts become vectors of length 1 and of the dimension that is set, in their order', async () => {
  const { embeddings: made } = embeddings()
  expect(made).toMatchObject({ is_on: true, model: 'bag-of-words', dimension: 64 })
  const texts = ['the lock file is old', 'boards have columns', 'the lock file is very old']
  const [a, b, c] = await made.embed(outside, texts, documents)
  expect(a).toHaveLength(64)
  expect(cosine(a, a)).toBeCloseTo(1, 5)
  expect(cosine(a, c)).toBeGreaterThan(cosine(a, b) + 0.3)
  expect(model.calls).toEqual({ chat: 0, embeddings: 1 })
})

test('a long text is sent in pieces, and its vector is their mean', async () => {
  const { embeddings: made } = embeddings()
  const long = 'lock '.repeat(60)
  const [whole] = await made.embed(outside, [long], documents)
  expect(model.embedded.length).toBeGreaterThan(2)
  expect(Math.max(...model.embedded.map(({ length }) => length))).toBeLessThanOrEqual(100)
  const [short] = await made.embed(outside, ['lock'], documents)
  expect(cosine(whole, short)).toBeGreaterThan(0.99)
})

test('the request is one that every server understands, and has the prefix of its kind', async () => {
  const { embeddings: made } = embeddings({
    prefix: { query: 'query: ', document: 'passage: ' },
    sends_dimension: true,
  })
  await made.embed(outside, ['lock'], query)
  await made.embed(outside, ['file'], documents)
  expect(model.embedded).toEqual(['query: lock', 'passage: file'])
  expect(model.bodies[0]).toEqual({
    model: 'bag-of-words',
    input: ['query: lock'],
    encoding_format: 'float',
    dimensions: 64,
  })
})

test('the same query is computed once, now and later, for each owner by itself', async () => {
  const { embeddings: made } = embeddings()
  const ask = (owner: string) => made.embed(outside, ['lock'], { kind: 'query', owner })
  const [first, second] = await Promise.all([ask('1'), ask('1')])
  expect(second?.[0]).toBe(first?.[0])
  await ask('1')
  expect(model.calls.embeddings).toBe(1)
  await ask('2')
  expect(model.calls.embeddings).toBe(2)
})

test('documents are not cached', async () => {
  const { embeddings: made } = embeddings()
  for (let n = 0; n < 2; n += 1) await made.embed(outside, ['lock'], documents)
  expect(model.calls.embeddings).toBe(2)
})

test('a failure is not cached', async () => {
  const { embeddings: made } = embeddings()
  model.next = ['error']
  await expect(made.embed(outside, ['lock'], query)).rejects.toMatchObject(outage('unreachable'))
  expect(await made.embed(outside, ['lock'], query)).toHaveLength(1)
})

test.for([
  ['error', 'unreachable'],
  ['rate_limited', 'overloaded'],
  ['bad_json', 'bad_answer'],
  ['thought_prefix', 'bad_answer'],
  ['truncated', 'bad_answer'],
  ['unknown_ids', 'bad_answer'],
  ['injection_echo', 'bad_answer'],
  ['huge', 'bad_answer'],
] as const)('a server that fails by %s is an outage: %s', async ([mode, reason]) => {
  const { embeddings: made, lines, metrics } = embeddings()
  model.mode = mode
  const texts = ['a text that nobody may see']
  const failed = await made.embed(outside, texts, documents).catch((error: unknown) => error)
  expect(failed).toMatchObject(outage(reason))
  const told = [failed, (failed as Error).cause, ...lines].map((each) => String(each)).join('\n')
  expect(told).not.toContain('nobody may see')
  expect(told).not.toContain(key)
  expect(await metrics.registry.metrics()).toContain(
    `crewhall_model_seconds_count{part="embeddings",purpose="document",outcome="${reason}"} 1`,
  )
})

test.for(['hang', 'drip'] as const)('a server that fails by %s is cut off by the limit', async (mode) => {
  const { embeddings: made } = embeddings({ limit_ms: { query: 300, document: 300 } })
  model.mode = mode
  await expect(made.embed(outside, ['lock'], documents)).rejects.toMatchObject(outage('timeout'))
  await waitFor(() => model.open() === 0, 30_000)
})

test('vectors of another dimension are refused', async () => {
  const { embeddings: made } = embeddings()
  model.dimension = 32
  await expect(made.embed(outside, ['lock'], documents)).rejects.toMatchObject(outage('bad_answer'))
})

test('nobody listens at the address: an outage, and after three of them nothing is tried', async () => {
  const gone = await startStandInModel()
  await gone.close()
  const { embeddings: made, lines, metrics } = embeddings({ url: gone.url })
  for (let n = 0; n < 4; n += 1)
    await expect(made.embed(outside, [`lock ${n}`], query)).rejects.toMatchObject(outage('unreachable'))
  const open = async () =>
    /^crewhall_model_breaker_open\{part="embeddings"\} (\d)$/m.exec(await metrics.registry.metrics())?.[1]
  expect(await open()).toBe('1')
  expect(lines.filter((line) => line.includes('embeddings are away'))).toHaveLength(1)
  // Nobody calls, so nobody knows more than that the next call would be tried.
  await waitFor(async () => (await open()) === '0', 20_000)
})

test('while a server is away, searches cost no call; what was cached is still there', async () => {
  const { embeddings: made } = embeddings()
  await made.embed(outside, ['known'], query)
  model.mode = 'error'
  for (let n = 0; n < 20; n += 1)
    await expect(made.embed(outside, [`lock ${n}`], query)).rejects.toMatchObject(outage('unreachable'))
  expect(model.calls.embeddings).toBe(4)
  expect(await made.embed(outside, ['known'], query)).toHaveLength(1)
})

test('a search stops waiting, and finds its vector the next time', async () => {
  const { embeddings: made } = embeddings({ query_ms: 50 })
  model.delay_ms = 500
  await expect(made.embed(outside, ['lock'], query)).rejects.toMatchObject(outage('timeout'))
  const found = () => made.embed(outside, ['lock'], query).catch(() => undefined)
  await waitFor(async () => (await found()) !== undefined, 30_000)
  expect(model.calls.embeddings).toBe(1)
})

test('a queue that is full refuses the rest at once, and does not count against the server', async () => {
  const { embeddings: made, metrics } = embeddings({ concurrency: 1 })
  model.mode = 'hang'
  const held = made.embed(outside, ['held'], documents).catch((error: unknown) => error)
  await waitFor(() => model.calls.embeddings === 1, 30_000)
  const many = Array.from({ length: 40 }, (_, n) =>
    made.embed(outside, [`document ${n}`], documents).catch((error: unknown) => error),
  )
  const refused = await Promise.race(many)
  expect(refused).toMatchObject(outage('overloaded'))
  expect(await metrics.registry.metrics()).toContain('crewhall_model_waiting{part="embeddings"} 32')
  expect(await metrics.registry.metrics()).toContain('crewhall_model_breaker_open{part="embeddings"} 0')
  await model.close()
  model = await startStandInModel()
  await Promise.all([held, ...many])
})

test('tokens are counted', async () => {
  const { embeddings: made, metrics } = embeddings()
  await made.embed(outside, ['twelve chars'], documents)
  expect(await metrics.registry.metrics()).toContain(
    'crewhall_model_tokens_total{part="embeddings",purpose="document",direction="in"} 3',
  )
})

test('too many texts at a time are a mistake of the caller', async () => {
  const { embeddings: made } = embeddings()
  await expect(made.embed(outside, Array<string>(65).fill('x'), documents)).rejects.toBeInstanceOf(RangeError)
})

test('embeddings that are switched off say so', async () => {
  const off = createEmbeddings(
    { source: { kind: 'off' }, query_ms: 100 },
    createLog({ level: 'silent', process_name: 'test' }),
    createMetrics(),
  )
  expect(off.is_on).toBe(false)
  await expect(off.embed(outside, ['x'], query)).rejects.toMatchObject(outage('not_configured'))
})
