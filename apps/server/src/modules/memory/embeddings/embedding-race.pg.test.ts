import { setTimeout } from 'node:timers/promises'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#platform/clock/clock.ts'
import { type OutsideSystemCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { Database } from '#platform/db/database.ts'
import { createPool } from '#platform/db/pool.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import { Embedder } from '#platform/embeddings/embedder.ts'
import type { TextVectors } from '#platform/embeddings/text-vectors.ts'
import { createLog } from '#platform/log/log.ts'
import { changeMemory, createMemory } from '../memories/memories.service.ts'
import { embeddedText } from './embedding.rules.ts'
import { memoryTexts } from './embedding.service.ts'

// Two workers embed what is due while people change the text. A vector of an older text may be there for as long as the
// queue knows of it, and never after.

const log = createLog({ level: 'silent', process_name: 'test' })
let database: TestDatabase
const pools: pg.Pool[] = []
let people: OutsideSystemCtx
let workers: OutsideSystemCtx
let brand_id: number
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  ;[people, workers] = [open('people'), open('workers')]
  brand_id = (await people.overBrands().db.first(workspace, {}))?.id ?? 0
  // Between the snapshot of a worker's statement and the rows that it locks there is time for a change to commit.
  const admin = await connect(database, 'superuser')
  await admin.query(`create or replace function platform.now() returns timestamptz language sql stable parallel safe as $$
    select case current_setting('application_name') when 'workers' then (select now() from pg_sleep(0.01)) else now() end $$`)
  await admin.end()
})
afterAll(async () => {
  for (const pool of pools) await pool.end()
  await database.drop()
})

function open(application_name: string): OutsideSystemCtx {
  const limit_ms = 20_000
  const limits = { connect_timeout_ms: limit_ms, statement_timeout_ms: limit_ms }
  const url = { url: database.url, size: 4, application_name }
  const pool = createPool({ ...url, ...limits, idle_transaction_timeout_ms: limit_ms }, log)
  pools.push(pool)
  const nothing = { fault_point: async () => {}, listeners: [], enqueue: async () => {} }
  const parts = { database: new Database(pool, limit_ms), clock: systemClock, ...nothing }
  return systemCtx(parts, log, { kind: 'system', name: 'test' })
}

const workspace = statement<object, { id: number }>(
  () => sql`with made as (
     insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}') returning id)
   insert into identity.agents (brand_id, agent_id, name) select id, 'bot', 'Bot' from made returning brand_id as id`,
)
interface Kept {
  readonly title: string
  readonly vector: string | null
  readonly is_queued: boolean
}
const kept = brandStatement<{ id: string }, Kept>(
  (p) => sql`select m.title, e.vector::text as vector, q.memory_id is not null as is_queued
   from memory.memories m left join memory.embeddings e on e.brand_id = m.brand_id and e.memory_id = m.id
     left join memory.embedding_queue q on q.brand_id = m.brand_id and q.memory_id = m.id
   where m.brand_id = ${p.brand_id} and m.id = ${p.id}`,
)

/** The number in a title is the vector, so each vector tells which text it is of. */
const vectorOf = (text: string): string => `[1,${/\d+/.exec(text)?.[0] ?? 0}]`
const model: TextVectors = {
  is_on: true,
  model: 'numbers',
  dimension: 2,
  async embed(_, texts) {
    await setTimeout(Math.random() * 20)
    return texts.map(vectorOf)
  },
}

const changes = 4
const rounds = roundsFor(200, 0.3)
const running = (isTwin: boolean, embed: (client: number) => Promise<unknown>) =>
  race<{ id: string; isChanging: boolean }>({
    rounds,
    isTwin,
    clients: 3,
    async setup() {
      const memory = { agent_id: 'bot', kind: 'fact', title: 'Number 1', body: 'B' } as const
      const more = { tags: [], confidence: 0.8, importance: 'normal' as const }
      const { id } = await createMemory(people.forBrand(brand_id), { ...memory, ...more })
      return { id, isChanging: true }
    },
    async act(memory, client) {
      if (client > 0) while (memory.isChanging) await embed(client)
      else
        for (let n = 2; n < 2 + changes; n += 1) {
          await setTimeout(Math.random() * 4)
          await changeMemory(people.forBrand(brand_id), memory.id, { title: `Number ${n}` })
        }
      memory.isChanging = false
    },
    async verdict({ id }, outcomes) {
      const failed = outcomes.find((each) => each.status === 'rejected')
      if (failed) return String(failed.reason)
      const found = await people.forBrand(brand_id).db.first(kept, { id })
      if (!found?.is_queued && found?.vector !== vectorOf(found?.title ?? ''))
        return `${found?.vector} is kept for ${found?.title}`
      await embed(1)
      const last = await people.forBrand(brand_id).db.first(kept, { id })
      const expected = {
        title: `Number ${1 + changes}`,
        vector: vectorOf(`${1 + changes}`),
        is_queued: false,
      }
      if (JSON.stringify(last) !== JSON.stringify(expected)) return JSON.stringify(last)
    },
  })

test(`a text that changes ${changes} times while two workers embed it, ${rounds} rounds: no vector of an older text stays`, async () => {
  const embedders = [new Embedder(model, memoryTexts), new Embedder(model, memoryTexts)]
  const embed = async (client: number) => embedders[client % 2]?.look(workers)
  expect(await running(false, embed)).toEqual({ rounds, wrong: 0, examples: [] })
})

const due = brandStatement<object, { id: string; title: string; body: string; tags: string[] }>(
  (p) => sql`select m.id, m.title, m.body, m.tags from memory.embedding_queue q
     join memory.memories m on m.brand_id = q.brand_id and m.id = q.memory_id where q.brand_id = ${p.brand_id}`,
)
const keep = brandStatement<{ id: string; vector: string }, unknown>(
  (p) => sql`with done as (
     delete from memory.embedding_queue where brand_id = ${p.brand_id} and memory_id = ${p.id})
   insert into memory.embeddings (brand_id, memory_id, agent_id, model, dimension, text_hash, vector)
   values (${p.brand_id}, ${p.id}, 'bot', 'numbers', 2, '', ${p.vector}::halfvec)
   on conflict (brand_id, memory_id, model) do update set vector = excluded.vector`,
)
test('the same race finds a twin that reads, embeds and writes without asking whether the text is still the same', async () => {
  const asked = { kind: 'document', owner: '' } as const
  const naive = async () => {
    const ctx = workers.forBrand(brand_id)
    for (const { id, ...text } of await ctx.db.all(due, {})) {
      const [vector = ''] = await model.embed(ctx, [embeddedText({ ...text, description: null })], asked)
      await ctx.db.run(keep, { id, vector })
    }
  }
  expect((await running(true, naive)).wrong).toBeGreaterThan(0)
})
