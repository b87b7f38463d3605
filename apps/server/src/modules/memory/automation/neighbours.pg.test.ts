import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMemory, listNeighbours, listOwnTexts, lookAround } from '#modules/memory'
import { systemCtx } from '#platform/ctx/ctx.ts'
import { Embedder } from '#platform/embeddings/embedder.ts'
import { type TextVectors, textVectors } from '#platform/embeddings/text-vectors.ts'
import { AutomationBed, draft } from '../../../../test/memory-automation.ts'
import { memoryTexts } from '../embeddings/embedding.service.ts'
import { discardMemory } from '../memories/memories.service.ts'

// With the built-in model, as most installations have it.

let bed: AutomationBed
let vectors: TextVectors
beforeAll(async () => {
  bed = await AutomationBed.open()
  vectors = textVectors(bed.parts.embeddings)
})
afterAll(() => bed.close())

const embedAll = (using = vectors) =>
  new Embedder(using, memoryTexts).look(
    systemCtx(bed.parts.ctx, bed.parts.log, { kind: 'system', name: 'test' }),
  )

async function extract(agent: string, body: string, using = vectors) {
  const [around] = await lookAround(bed.automation, using, agent, [draft(body)])
  return bed.write((tx) => addMemory(tx, agent, draft(body), bed.origin(), around))
}

/** A fact, and how another conversation would have put it. */
const facts = [
  ['The staging database is reset every night', 'Each night all data in the test environment gets wiped'],
  ['Ana must approve changes to the billing code', 'Billing changes need a sign-off from Ana'],
  ['Customers in Japan are invoiced in yen', 'Japanese clients receive bills in JPY'],
  ['We never deploy on Fridays', 'No releases at the end of the week, Friday is off limits'],
  ['The user prefers tabs over spaces', 'Indentation should be done with tabs, not spaces'],
  ['Login fails when the clock of the server is wrong', 'A wrong server time breaks signing in'],
  [
    'The mobile app talks to the public gateway only',
    'Phones reach the backend exclusively through the public gateway',
  ],
  ['Backups are stored in Frankfurt', 'We keep the backup copies in the Frankfurt data center'],
  ['The search service needs 8 GB of memory', 'Search has to have 8 GB of RAM'],
  ['Feature flags are removed a month after launch', 'A month after release we clean up the feature flags'],
] as const

test('C17: of ten deleted facts none comes back in the same words and at most one in others', async () => {
  const agent = await bed.newAgent()
  for (const [fact] of facts) expect(await extract(agent, fact)).toMatchObject({ decision: 'new' })
  await embedAll()
  for (const { id } of await bed.memories(agent)) await discardMemory(bed.person, id, {})
  const exact = []
  const other = []
  for (const [fact, paraphrase] of facts) {
    exact.push((await extract(agent, fact)).decision)
    other.push((await extract(agent, paraphrase)).decision)
  }
  expect(exact.filter((decision) => decision !== 'rejected')).toEqual([])
  expect(other.filter((decision) => decision !== 'rejected').length).toBeLessThanOrEqual(1)
  // What has nothing to do with them is a memory as always.
  for (const unrelated of ['The logo is blue', 'Tickets have twelve digits', 'Bob speaks Portuguese'])
    expect(await extract(agent, unrelated)).toMatchObject({ decision: 'new' })
})

test('what says the same is found by search and taken as evidence', async () => {
  const agent = await bed.newAgent()
  await extract(agent, 'Deploys of the web shop take 15 minutes.')
  const [memory] = await bed.memories(agent)
  expect(await extract(agent, 'The deploys of the web shop take fifteen minutes')).toEqual({
    decision: 'same',
    id: memory?.id,
  })
  expect(await extract(agent, 'The deploys of the web shop take 16 minutes')).toMatchObject({
    decision: 'new',
  })
})

test('without vectors it goes by text', async () => {
  const agent = await bed.newAgent()
  const away = { ...vectors, is_on: false }
  expect(await extract(agent, 'The queue is drained at noon', away)).toMatchObject({ decision: 'new' })
  expect(await extract(agent, 'Queue is drained at noon!', away)).toMatchObject({ decision: 'same' })
})

test('neighbours are those of the agent that the texts are about, each once', async () => {
  const [agent, other] = [await bed.newAgent(), await bed.newAgent()]
  for (const body of ['Payments runs on Postgres', 'Payments is owned by Falcon', 'The logo is blue'])
    await extract(agent, body)
  await extract(other, 'Payments of the other agent')
  const found = await listNeighbours(bed.automation, vectors, agent, [
    'who owns payments',
    'payments database',
    '',
  ])
  const bodies = found.map(({ body }) => body)
  expect(bodies).toEqual(expect.arrayContaining(['Payments runs on Postgres', 'Payments is owned by Falcon']))
  expect(new Set(bodies).size).toBe(bodies.length)
  expect(bodies.join()).not.toContain('other agent')
})

test('of few memories all are neighbours, and no vector is made to find them', async () => {
  const agent = await bed.newAgent()
  for (const body of ['Payments runs on Postgres', 'The logo is blue']) await extract(agent, body)
  const none: TextVectors = { ...vectors, embed: () => Promise.reject(new Error('a vector was made')) }
  const found = await listNeighbours(bed.automation, none, agent, ['who owns payments', 'something else'])
  expect(found.map(({ body }) => body).toSorted()).toEqual(['Payments runs on Postgres', 'The logo is blue'])
  for (let n = 0; n < 29; n += 1)
    await extract(agent, `Room ${n} has ${n + 2} chairs`, { ...none, is_on: false })
  await expect(listNeighbours(bed.automation, none, agent, ['payments'])).rejects.toThrow('a vector was made')
})

test('the vector that a draft was compared by is stored with the memory, and not made again', async () => {
  const agent = await bed.newAgent()
  await embedAll()
  await extract(agent, 'Payments runs on Postgres')
  const rows = async (table: string) =>
    (
      await bed.admin.query(
        `select from memory.${table} join memory.memories m on m.id = memory_id where m.agent_id = $1`,
        [agent],
      )
    ).rowCount
  expect([await rows('embeddings'), await rows('embedding_queue')]).toEqual([1, 1])
  const none: TextVectors = { ...vectors, embed: () => Promise.reject(new Error('a vector was made')) }
  await embedAll(none)
  expect([await rows('embeddings'), await rows('embedding_queue')]).toEqual([1, 0])
})

test('own texts are those of active memories of the agent', async () => {
  const agent = await bed.newAgent()
  await extract(agent, 'The Logo   is blue')
  const [memory] = await bed.memories(agent)
  expect(await listOwnTexts(bed.automation, agent)).toEqual({
    memory_ids: new Set([memory?.id]),
    texts: ['the logo is blue\nthe logo is blue'],
  })
})
