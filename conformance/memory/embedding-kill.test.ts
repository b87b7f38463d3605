import { startStandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MemoryWorkspace } from './memory-world.ts'
import { isVectorOf, vectorRows } from './vector-rows.ts'

const model = await startStandInModel()
const server = useServer('product', {
  EMBEDDINGS: 'url',
  EMBEDDINGS_URL: model.url,
  EMBEDDINGS_MODEL: 'bag-of-words',
  EMBEDDINGS_DIMENSIONS: '64',
})
const { waiting, isQuiet, vectorsOf } = vectorRows(server.sql)
let clock: VirtualClock
let work: MemoryWorkspace
beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  work = await MemoryWorkspace.open(server)
})
afterAll(async () => {
  clock.close()
  await model.close()
})

/** One batch, which is two calls of the model: both have at most 20,000 characters. */
const batch = 64
const addBatch = () =>
  server.sql<{ id: string; title: string; body: string }>(
    `insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by)
     select $1, gen_random_uuid(), $2, 'fact', 'Number ' || n,
       (select string_agg(md5(n * 100 + i || ''), ' ') from generate_series(1, 12) i), '', '{}', '{}'
     from generate_series(1, $3::int) n returning id, title, body`,
    [work.brand_id, work.agent, batch],
  )

test.each([
  ['before a vector is written', 'memory.embedded:kill@1', false],
  ['between two calls', 'memory.embedded:kill@2', true],
  ['before the vectors are committed', 'memory.vectors:kill@1', false],
])(
  'a worker is killed %s: after its lease another one completes the batch, each text with its own vector',
  {
    timeout: 120_000,
  },
  async (_, plan, hasSome) => {
    const memories = await addBatch()
    const doomed = await server.start('worker', { ...clock.env, TEST_FAULT_POINTS: plan })
    await doomed.ended
    const left = await waiting()
    expect([left > 0, left < batch]).toEqual([true, hasSome])

    const other = await server.start('worker', clock.env)
    const late = await work.add({ title: 'Made later' })
    await waitFor(async () => (await vectorsOf(late.id)).length === 1, 60_000)
    expect(await waiting()).toBe(left)
    await clock.advance(601_000)
    await isQuiet()
    await other.stop()
    for (const { id, title, body } of memories) {
      const rows = await vectorsOf(id)
      expect([title, rows.map((row) => isVectorOf(row, `${title}\n${body}`))]).toEqual([title, [true]])
    }
  },
)
