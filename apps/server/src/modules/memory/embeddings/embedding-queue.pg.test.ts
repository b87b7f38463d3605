import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { type PlanNode, planNodes } from '@crewhall/testkit/plan-nodes.ts'
import { onlySentBy } from '@crewhall/testkit/sent-statements.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import type { Due } from '#platform/db/embedding-queue.ts'
import { memoryQueue } from './embeddings.store.ts'

// What a look at the queue reads while much of it waits for its next attempt, as the role of the product.

const sizes = { brands: 20, each: 1000 }
let database: TestDatabase
let client: pg.Client
let brands: readonly number[]
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  client = await connect(database, 'application')
  await client.query(`select set_config('app.system', 'on', false)`)
  const { rows } = await client.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling)
     select 'A', 'free', '{}' from generate_series(1, $1::int) returning id`,
    [sizes.brands],
  )
  brands = rows.map(({ id }) => id).toSorted((a, b) => a - b)
  await client.query(
    `insert into identity.agents (brand_id, agent_id, name) select id, 'bot', 'Bot' from identity.brands`,
  )
  await client.query(
    `insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by)
     select b.id, gen_random_uuid(), 'bot', 'fact', 'T', 'B', '', '{}', '{}'
     from identity.brands b cross join generate_series(1, $1::int)`,
    [sizes.each],
  )
  await client.query(
    `update memory.embedding_queue set attempts = 1 + hashtext(memory_id::text) & 1, due_at = platform.now() + interval '1 hour'`,
  )
  const admin = await connect(database, 'superuser')
  await admin.query('vacuum analyze memory.embedding_queue')
  await admin.end()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const brand = (at: number): number => brands.at(at) ?? 0
/** Some of a workspace are due, after so many attempts. */
const letBeDue = (brand_id: number, attempts: number) =>
  client.query(
    `update memory.embedding_queue set due_at = platform.now() - interval '1 minute', attempts = $2
     where brand_id = $1 and memory_id in (select memory_id from memory.embedding_queue where brand_id = $1 limit 70)`,
    [brand_id, attempts],
  )

/** What is found, and how many entries and rows of the queue were read for it. */
async function look(after: number): Promise<{ found: Due | undefined; read: number }> {
  const { text, values } = onlySentBy(0, (ctx: SystemCtx) => memoryQueue.findDue(ctx, after))
  const found = await client.query<Due>(text, values)
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) ${text}`,
    values,
  )
  const read = planNodes(rows[0]?.['QUERY PLAN'][0].Plan as PlanNode)
    .filter((node) => node['Relation Name'] === 'embedding_queue')
    .reduce((sum, node) => {
      const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
      return sum + (node['Actual Rows'] + removed) * node['Actual Loops']
    }, 0)
  return { found: found.rows[0], read }
}

test('while nothing is due, a look reads nothing, whatever waits', async () => {
  expect(await look(0)).toEqual({ found: undefined, read: 0 })
})

test('what waits costs one entry for each workspace and number of attempts, until something is due', async () => {
  await letBeDue(brand(-2), 2)
  const { found, read } = await look(0)
  expect(found).toEqual({ brand_id: brand(-2), attempts: 2 })
  expect(read).toBeLessThanOrEqual(1 + 2 * sizes.brands)
  expect((await look(brand(-2))).found).toBeUndefined()
})

test('workspaces have their turn one after the other, and what has failed least comes first', async () => {
  await letBeDue(brand(0), 0)
  await letBeDue(brand(5), 1)
  const turns: (Due | undefined)[] = []
  for (let after = 0; turns.length < 4; after = turns.at(-1)?.brand_id ?? 0)
    turns.push((await look(after)).found)
  expect(turns).toEqual([
    { brand_id: brand(0), attempts: 0 },
    { brand_id: brand(5), attempts: 1 },
    { brand_id: brand(-2), attempts: 2 },
    undefined,
  ])
})
