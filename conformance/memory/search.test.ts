import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Item, MemoryWorkspace } from './memory-world.ts'

const server = useSharedServer('product')
let work: MemoryWorkspace
beforeAll(async () => {
  work = await MemoryWorkspace.open(server)
})
const fresh = () => MemoryWorkspace.open(server)
const idsOf = (items: readonly Item[]) => items.map(({ id }) => id)

test('MEMO-11 MEMO-21 MEMO-24: search returns items with their fields, their number and the agent', async () => {
  const work = await fresh()
  const made = await work.add({
    title: 'Release day',
    body: 'Tuesday',
    description: 'When',
    tags: ['release'],
  })
  await work.add({ title: 'Other', body: 'Unrelated' })
  const { status, body } = await work.search({ query: 'release' })
  const { id, kind, title, body: text, description, confidence, tags } = made
  expect([status, body]).toEqual([
    200,
    {
      memories: [{ id, kind, title, body: text, description, confidence, tags }],
      count: 1,
      agent_id: work.agent,
    },
  ])
})

test('MEMO-12: parameters travel in the query string, and a body is neither needed nor read', async () => {
  const path = `/agents/${work.agent}/context?format=json&limit=1`
  for (const body of [undefined, { limit: 50 }, 'no JSON', { query: 'x' }]) {
    const { status } = await work.call('POST', path, body)
    expect([body, status]).toEqual([body, 200])
  }
})

test('MEMO-13: a query is matched against title and body, and each of its words is enough', async () => {
  const work = await fresh()
  await work.add({ title: 'Zebra crossing', body: 'Stripes' })
  await work.add({ title: 'Pedestrians', body: 'They wait at the zebra' })
  await work.add({ title: 'Elephants', body: 'They do not wait' })
  expect((await work.titles({ query: 'zebra' })).toSorted()).toEqual(['Pedestrians', 'Zebra crossing'])
  expect(await work.titles({ query: 'where do giraffes and zebras cross' })).toContain('Zebra crossing')
  expect(await work.titles({ query: 'okapi' })).toEqual([])
})

const plain = [
  '%',
  '_',
  '%%',
  "'",
  '"',
  "O'Reilly",
  'a & b',
  'a | b',
  '!x',
  '(x',
  'x:*',
  '<->',
  '\\',
  "\\'",
  '; --',
  '*',
]
test.each(plain)('MEMO-13: %j in a query is plain text', async (query) => {
  for (const asked of [query, `zqx ${query} zqx`, `${query}zqx`])
    expect(await work.search({ query: asked })).toMatchObject({ status: 200, body: { memories: [] } })
  const { id } = await work.add({ title: `Odd ${query} kangaroo`, body: query })
  expect(idsOf((await work.search({ query: `${query} kangaroo` })).body.memories)).toContain(id)
  await work.call('DELETE', `/memories/${id}`)
})

test('MEMO-14: the best match comes first: more words, and words in the title', async () => {
  const work = await fresh()
  await work.add({ title: 'Deploys', body: 'Use the staging cluster' })
  await work.add({ title: 'Staging deploys need approval', body: 'Ask the release manager' })
  await work.add({ title: 'Lunch', body: 'Sometimes we deploy at lunch' })
  const titles = await work.titles({ query: 'deploy to staging with approval' })
  expect([titles[0], titles.length]).toEqual(['Staging deploys need approval', 3])
  expect((await work.titles({ query: 'lunch' }))[0]).toBe('Lunch')
})

test('a word that few memories have counts more than two that most have', async () => {
  const work = await fresh()
  await work.add({ title: 'Pets of the team', body: 'The axolotl sleeps beside the printer' })
  for (let n = 0; n < 15; n += 1) await work.add({ title: 'Deploy the service', body: `Step ${n}` })
  expect((await work.titles({ query: 'deploy the service of the axolotl' }))[0]).toBe('Pets of the team')
})

test('MEMO-14: equal matches come newest first, in the same order every time', async () => {
  const work = await fresh()
  const made: string[] = []
  for (let n = 0; n < 6; n += 1) made.unshift((await work.add({ title: 'Same words', body: 'Same body' })).id)
  for (let n = 0; n < 3; n += 1)
    expect(idsOf((await work.search({ query: 'same words' })).body.memories)).toEqual(made)
})

test('a word with a typing error is found by its title', async () => {
  const work = await fresh()
  await work.add({ title: 'Kubernetes upgrade', body: 'Drain the nodes first' })
  await work.add({ title: 'Postgres upgrade', body: 'Dump first' })
  expect(await work.titles({ query: 'kuberntes' })).toEqual(['Kubernetes upgrade'])
})

test('MEMO-15 MEMO-G2 MEMO-G7: without a query, or with a blank one, the surest come first, then the newest', async () => {
  const work = await fresh()
  await work.add({ title: 'second', confidence: 0.9, importance: 'critical' })
  await work.add({ title: 'fourth', confidence: 0.5 })
  await work.add({ title: 'third', confidence: 0.5 })
  await work.add({ title: 'first', confidence: 0.95, kind: 'decision' })
  const order = ['first', 'second', 'third', 'fourth']
  expect(await work.titles()).toEqual(order)
  expect(await work.titles({ query: '' })).toEqual(order)
  expect(await work.titles({ query: '  ' })).toEqual(order)
  expect(await work.titles({ limit: '2' })).toEqual(order.slice(0, 2))
})

test('MEMO-16 MEMO-32 MEMO-G3: kinds narrow search and recall; blanks are skipped, unknown ones refused', async () => {
  const work = await fresh()
  for (const kind of ['fact', 'decision', 'learning']) await work.add({ kind, title: `A ${kind} of tin` })
  const { id } = await work.add({ title: 'A summary of tin' })
  await work.world.sql(`update memory.memories set kind = 'summary' where id = $1`, [id])
  const cases: [string, string[]][] = [
    ['fact', ['fact']],
    ['summary', ['summary']],
    [' fact , decision,', ['decision', 'fact']],
    ['', ['decision', 'fact', 'learning', 'summary']],
    [',', ['decision', 'fact', 'learning', 'summary']],
    ['pattern', []],
  ]
  for (const [kinds, expected] of cases) {
    const all = [
      await work.search({ kinds }),
      await work.search({ kinds, query: 'tin' }),
      await work.recall({ kinds, query: 'tin' }),
    ]
    for (const { body } of all)
      expect([kinds, body.memories.map(({ kind }) => kind).toSorted()]).toEqual([kinds, expected])
  }
  for (const kinds of ['facts', 'fact,opinion', 'FACT'])
    for (const { status } of [await work.search({ kinds }), await work.recall({ kinds, query: 'tin' })])
      expect([kinds, status]).toEqual([kinds, 422])
})

test('MEMO-17 MEMO-18 MEMO-24 MEMO-30 MEMO-31: search returns 10 and recall 20, up to 50 if asked, and counts what it returns', async () => {
  const work = await fresh()
  await work.world.sql(
    `insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by)
     select $1, gen_random_uuid(), $2, 'fact', 'Copper ' || n, 'Body', '', '{}', '{}' from generate_series(1, 60) n`,
    [work.brand_id, work.agent],
  )
  await work.world.sql(
    `update memory.memories set created_by = '{"kind":"system","id":"t","name":"t","on_behalf_of":null}' where brand_id = $1`,
    [work.brand_id],
  )
  const sizes = async (more: Record<string, string>) => {
    const all = [
      await work.search(more),
      await work.search({ query: 'copper', ...more }),
      await work.recall({ query: 'copper', ...more }),
    ]
    return all.map(({ status, body }) =>
      status === 200 && body.count === body.memories.length ? body.count : status,
    )
  }
  expect(await sizes({})).toEqual([10, 10, 20])
  expect(await sizes({ limit: '50' })).toEqual([50, 50, 50])
  expect(await sizes({ limit: '1' })).toEqual([1, 1, 1])
  for (const limit of ['0', '51', '-1', '1.5', 'x', ''])
    expect([limit, await sizes({ limit })]).toEqual([limit, [422, 422, 422]])
})

test('MEMO-19 MEMO-36 MEMO-G9: only active memories are in search, in the top list and in recall', async () => {
  const work = await fresh()
  for (const status of ['active', 'archived', 'merged']) {
    const { id } = await work.add({ title: `Nickel ${status}` })
    await work.world.sql('update memory.memories set status = $2 where id = $1', [id, status])
  }
  expect(await work.titles()).toEqual(['Nickel active'])
  expect(await work.titles({ query: 'nickel' })).toEqual(['Nickel active'])
  expect((await work.recall({ query: 'nickel' })).body.memories.map(({ title }) => title)).toEqual([
    'Nickel active',
  ])
})

test('MEMO-20 MEMO-G9: a confidence of 0.3 is in, what is below is out', async () => {
  const work = await fresh()
  for (const confidence of [0, 0.29, 0.2999, 0.29999, 0.3, 0.1 + 0.2, 0.31])
    for (const importance of ['normal', 'critical'])
      await work.add({ title: `Cobalt ${confidence} ${importance}`, confidence, importance })
  const expected = [0.3, 0.3, 0.1 + 0.2, 0.1 + 0.2, 0.31, 0.31]
  const found = [
    await work.search(),
    await work.search({ query: 'cobalt' }),
    await work.recall({ query: 'cobalt' }),
  ]
  for (const { body } of found)
    expect(body.memories.map(({ confidence }) => confidence).toSorted()).toEqual(expected.toSorted())
})

test('MEMO-09 MEMO-10 MEMO-G1 MEMO-20: confidence decays by 2% a week from the last verification, and leaves search below 0.3', async () => {
  const work = await fresh()
  const shown = async (title: string) =>
    (await work.search({ limit: '50' })).body.memories.find((item) => item.title === title)?.confidence
  const normal = await work.add({ title: 'normal' })
  const critical = await work.add({ title: 'critical', importance: 'critical' })
  await work.age(critical.id, 520 * 7)
  await work.age(normal.id, 7)
  expect(await shown('normal')).toBeCloseTo(0.784, 3)
  await work.age(normal.id, 21)
  expect(await shown('normal')).toBeCloseTo(0.738, 3)
  for (let n = 0; n < 20; n += 1) await shown('normal')
  expect(await shown('normal')).toBeCloseTo(0.738, 3)
  await work.age(normal.id, 44 * 7)
  expect(await shown('normal')).toBeCloseTo(0.303, 3)
  await work.age(normal.id, 7)
  expect(await shown('normal')).toBeUndefined()
  expect(await shown('critical')).toBe(0.8)
  expect((await work.call('GET', `/memories/${normal.id}`)).body).toMatchObject({ confidence: 0.2973 })
  await work.call('POST', `/memories/${normal.id}/verify`)
  expect(await shown('normal')).toBe(0.8)
})

test('MEMO-22 MEMO-23 MEMO-G4: after more than 30 days without verification an item is stale, and says so', async () => {
  const work = await fresh()
  const { id } = await work.add({ title: 'Old' })
  const item = async () => (await work.search()).body.memories[0] ?? {}
  await work.age(id, 29.9)
  expect(Object.keys(await item())).not.toEqual(expect.arrayContaining(['stale']))
  expect('stale_caveat' in (await item())).toBe(false)
  await work.age(id, 0.2)
  expect(await item()).toMatchObject({
    stale: true,
    stale_caveat: 'Not verified for 30 days; check it before you rely on it',
  })
})

const verifying = [{ title: 'New' }, { body: 'New' }, { confidence: 0.7 }, { status: 'active' }]
const other = [
  { tags: ['x'] },
  { importance: 'high' },
  { kind: 'decision' },
  { description: 'x' },
  {},
  { status: 'archived' },
]
test('MEMO-G5: a change of title, body or confidence and a return to active verify; other changes do not', async () => {
  const work = await fresh()
  for (const change of [...verifying, ...other]) {
    const { id } = await work.add()
    await work.age(id, 40)
    const before = (await work.call('GET', `/memories/${id}`)).body.last_verified_at
    const after = (await work.change(id, change)).body.last_verified_at
    expect([change, after !== before]).toEqual([change, verifying.includes(change as never)])
  }
})

test('MEMO-53: who becomes critical, or stops being it, keeps the confidence of that moment', async () => {
  const work = await fresh()
  const { id } = await work.add()
  await work.age(id, 70)
  const { confidence } = (await work.call<{ confidence: number }>('GET', `/memories/${id}`)).body
  expect(confidence).toBeCloseTo(0.6537, 3)
  expect((await work.change(id, { importance: 'critical' })).body.confidence).toBeCloseTo(confidence, 3)
  await work.age(id, 70)
  expect((await work.change(id, { importance: 'normal' })).body.confidence).toBeCloseTo(confidence, 3)
})

test('MEMO-28 MEMO-33 MEMO-34: recall has the shape of search, and without a model its order', async () => {
  const work = await fresh()
  for (let n = 0; n < 30; n += 1) await work.add({ title: `Zinc ${'zinc '.repeat(n % 5)}`, body: `${n}` })
  const found = await work.search({ query: 'zinc', limit: '50' })
  const recalled = await work.recall({ query: 'zinc', limit: '50' })
  expect(recalled).toEqual(found)
  expect(recalled.headers.get('x-reranked')).toBe('false')
  expect((await work.recall({ query: 'zinc', limit: '3' })).body.memories).toEqual(
    found.body.memories.slice(0, 3),
  )
})

test('MEMO-29 MEMO-G8: recall needs a query', async () => {
  expect(await work.recall({})).toEqual({ status: 422, body: { detail: 'query: is required' } })
  for (const query of ['', '   ']) expect((await work.recall({ query })).status).toBe(422)
})

test('MEMO-35: recall without a match returns an empty list', async () => {
  expect(await work.recall({ query: 'qwertzuiop' })).toEqual({
    status: 200,
    body: { memories: [], count: 0, agent_id: work.agent },
  })
})

test('MEMO-G10: an agent id of another form is 422 before anybody asks whose it is', async () => {
  const malformed = { status: 422, body: { detail: 'agent_id: must be 1 to 255 letters, digits, _ or -' } }
  for (const agent of ['a.b', 'a%20b', '%C3%A4', 'x'.repeat(256)]) {
    expect(await work.search({}, agent)).toEqual(malformed)
    expect(await work.recall({ query: 'x' }, agent)).toEqual(malformed)
  }
  expect((await work.call('GET', '/memories/stats?agent_id=a.b')).status).toBe(422)
})

test('AUTH-31: an agent of the same name in another workspace has memories of its own', async () => {
  const [one, two] = [await fresh(), await fresh()]
  await one.add({ title: 'Platinum one' })
  await two.add({ title: 'Platinum two' })
  for (const [each, title] of [
    [one, 'Platinum one'],
    [two, 'Platinum two'],
  ] as const) {
    expect(await each.titles()).toEqual([title])
    expect(await each.titles({ query: 'platinum' })).toEqual([title])
  }
})

test('only words that no memory of the agent has count as misspelt', async () => {
  const work = await fresh()
  await work.add({ title: 'Rotate the signing keys', body: 'Every quarter' })
  await work.add({ title: 'Rotation of the night shift', body: 'Signing is on paper' })
  const asked = async (query: string) => (await work.search({ query, why: 'true' })).body.memories
  expect(await asked('signing')).toMatchObject([
    { title: 'Rotate the signing keys', why: { text_rank: 1, trigram_rank: null } },
    { title: 'Rotation of the night shift', why: { text_rank: 2, trigram_rank: null } },
  ])
  expect(await asked('singning')).toMatchObject([
    { title: 'Rotate the signing keys', why: { text_rank: null, trigram_rank: 1 } },
  ])
})

test('one agent does not see the memories of another', async () => {
  const work = await fresh()
  const second = await work.newAgent('second')
  await work.add({ agent_id: second, title: 'Mercury' })
  expect([await work.titles(), await work.titles({ query: 'mercury' })]).toEqual([[], []])
  expect((await work.search({ query: 'mercury' }, second)).body.count).toBe(1)
})

test('why=true tells the ranks, the confidence and the age of each item; low_match marks what has little in common', async () => {
  const work = await fresh()
  await work.add({ title: 'Rotate the signing keys', body: 'Every quarter' })
  await work.add({ title: 'Keys of the office', body: 'At the front desk' })
  const { body } = await work.search({ query: 'how do we rotate the signing keys', why: 'true' })
  expect(body.memories[0]).toMatchObject({
    title: 'Rotate the signing keys',
    why: { text_rank: 1, trigram_rank: null, vector_rank: null, confidence: 0.8 },
  })
  expect(body.memories.map(({ low_match }) => low_match)).toEqual([undefined, true])
  expect((await work.search({ query: 'keys' })).body.memories[0]).not.toHaveProperty('why')
})
