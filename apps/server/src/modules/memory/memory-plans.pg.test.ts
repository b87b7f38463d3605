import { memoryKinds, memoryStatuses } from '@crewhall/contracts/memory/fields.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { type PlanNode, planNodes } from '@crewhall/testkit/plan-nodes.ts'
import { onlySentBy, type SentStatement } from '@crewhall/testkit/sent-statements.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { listBest } from './export/exports.store.ts'
import { effectiveConfidence } from './memories/confidence.rules.ts'
import * as memories from './memories/memories.store.ts'
import * as search from './search/search.store.ts'
import * as stats from './stats/stats.store.ts'

// Agents of very different sizes in one workspace and another workspace beside it, as the role of the product and under
// row-level security. What is judged is how many memories a statement reads, and for search by which index.

const sizes = { big: 12_000, small: 20, agents: 200, rare: 7, others: 30_000 }
const dimension = 64
const vector = `[${Array(dimension).fill(1 / Math.sqrt(dimension))}]`

let database: TestDatabase
let admin: pg.Client
let client: pg.Client
let brand_id: number
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  admin = await connect(database, 'superuser')
  const other_id = await addBrand('Other')
  brand_id = await addBrand('A')
  await admin.query(
    `insert into identity.agents (brand_id, agent_id, name)
     select $1, case n when 0 then 'big' else 'small-' || n end, 'Bot' from generate_series(0, $2::int) n`,
    [brand_id, sizes.agents],
  )
  await admin.query(`insert into identity.agents (brand_id, agent_id, name) values ($1, 'big', 'Bot')`, [
    other_id,
  ])
  // Indexes on words are built when all is there, and no trigger looks at each row.
  const { rows: indexes } = await admin.query<{ name: string; text: string }>(
    `select indexname as name, indexdef as text from pg_indexes where schemaname = 'memory' and indexdef like '%gin%'`,
  )
  for (const { name } of indexes) await admin.query(`drop index memory.${name}`)
  await admin.query('set session_replication_role = replica')
  // Every word of a title is common except one, in a few memories of the big agent that lie far apart.
  await admin.query(
    `insert into memory.memories (brand_id, id, agent_id, kind, title, body, importance, status, confidence, anchored_at,
       text_hash, created_by, updated_by)
     select a.brand_id, gen_random_uuid(), a.agent_id, (array['decision', 'learning', 'pattern', 'preference', 'fact'])[1 + n % 5],
       'deploy the service number ' || n || case when a.brand_id = $1 and a.agent_id = 'big' and n % ($2::int / $4::int) = 1 then ' axolotl' else '' end,
       'Common words about the build of ' || md5(n::text), case when n % 50 = 0 then 'critical' else 'normal' end,
       case when n % 10 = 0 then 'archived' else 'active' end, 0.3 + (n % 70) / 100.0, now() - make_interval(days => n % 30, secs => n),
       sha256(n::text::bytea), '{}', '{}'
     from identity.agents a cross join generate_series(1, greatest($2, $5)::int) n
     where n <= case when a.agent_id <> 'big' then $3::int when a.brand_id = $1 then $2::int else $5::int end`,
    [brand_id, sizes.big, sizes.small, sizes.rare, sizes.others],
  )
  await admin.query(
    `insert into memory.embeddings (brand_id, memory_id, agent_id, model, dimension, text_hash, vector)
     select brand_id, id, agent_id, 'model', $1, text_hash, $2::halfvec from memory.memories`,
    [dimension, vector],
  )
  for (const { text } of indexes) await admin.query(text)
  await admin.query('vacuum analyze memory.memories, memory.embeddings')
  client = await connect(database, 'application')
  await client.query(`select set_config('app.brand_id', $1, false)`, [String(brand_id)])
})
async function addBrand(name: string): Promise<number> {
  const { rows } = await admin.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ($1, 'free', '{}') returning id`,
    [name],
  )
  return rows[0]?.id ?? 0
}
afterAll(async () => {
  await client.end()
  await admin.end()
  await database.drop()
})

/** Rows that were read from the table. */
const fetched = (nodes: readonly PlanNode[], table = 'memories'): number =>
  nodes
    .filter((node) => node['Relation Name'] === table && node['Node Type'] !== 'Index Only Scan')
    .reduce((sum, node) => {
      const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
      return sum + (node['Actual Rows'] + removed) * node['Actual Loops']
    }, 0)

/** As it is sent: with its values in place where it is planned for them, else as a plan for all values. */
async function planOf(mode: string, { text, values }: SentStatement): Promise<PlanNode[]> {
  const name = `plan_${Math.random().toString(36).slice(2)}`
  await client.query(`set plan_cache_mode = ${mode}`)
  await client.query(`prepare ${name} as ${text}`)
  const literal = (value: unknown) =>
    value === null ? 'null' : client.escapeLiteral(Array.isArray(value) ? `{${value}}` : String(value))
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) execute ${name} (${values.map(literal).join(', ')})`,
  )
  return planNodes(rows[0]?.['QUERY PLAN'][0].Plan as PlanNode).filter((node) => node['Actual Loops'] > 0)
}

const wanted = (agent_id: string) => ({ agent_id, kinds: memoryKinds })
const looking =
  (agent_id: string, query: string, typo_words: string[] = []) =>
  (ctx: BrandCtx) =>
    search.listMatches(ctx, { ...wanted(agent_id), query, typo_words })
const near = (agent_id: string) => (ctx: BrandCtx) =>
  search.listNearest(ctx, { ...wanted(agent_id), model: 'model', dimension, vector })
const searched = (sends: (ctx: BrandCtx) => unknown) =>
  planOf('force_custom_plan', onlySentBy(brand_id, sends))
const indexesOf = (nodes: readonly PlanNode[]) => nodes.flatMap((node) => node['Index Name'] ?? [])
const tablesReadWhole = (nodes: readonly PlanNode[]) =>
  nodes.flatMap((node) => (node['Node Type'].includes('Seq Scan') ? [node['Relation Name']] : []))

describe('search, planned for its values', () => {
  test('a rare word of a large agent is found in the index of words', async () => {
    const nodes = await searched(looking('big', 'axolotl'))
    expect(indexesOf(nodes)).toContain('memories_search')
    expect(fetched(nodes)).toBeGreaterThan(0)
    expect(fetched(nodes)).toBeLessThanOrEqual(2 * sizes.rare)
  })

  test('a misspelt word of a large agent is found in the index of titles', async () => {
    const nodes = await searched(looking('big', 'axolottl', ['axolottl']))
    expect(indexesOf(nodes)).toContain('memories_title')
    expect(fetched(nodes)).toBeGreaterThan(0)
    expect(fetched(nodes)).toBeLessThanOrEqual(2 * sizes.rare)
  })

  // The twin of the two above: what the marks are for.
  test('without the marks of these functions all memories of the agent are read', async () => {
    const mark = (how: string) =>
      admin.query(`alter function ts_match_vq(tsvector, tsquery) ${how};
        alter function word_similarity_commutator_op(text, text) ${how}`)
    await mark('not leakproof')
    try {
      for (const query of ['axolotl', 'axolottl'])
        expect(fetched(await searched(looking('big', query, [query])))).toBeGreaterThan(sizes.big / 2)
    } finally {
      await mark('leakproof')
    }
  })

  test('a common word of a large agent ranks 1,000 memories', async () => {
    const nodes = await searched(looking('big', 'how to deploy the service'))
    const ranked = nodes.find((node) => node['Subplan Name'] === 'CTE found')
    expect(ranked?.['Actual Rows']).toBe(1000)
    expect(tablesReadWhole(nodes)).toEqual([])
  })

  test('a small agent beside it pays for its own memories', async () => {
    const nodes = await searched(looking('small-7', 'deploy the service'))
    expect(fetched(nodes)).toBeGreaterThan(0)
    expect(fetched(nodes)).toBeLessThanOrEqual(2 * sizes.small)
  })

  test.each([
    ['big', sizes.big],
    ['small-7', sizes.small],
  ])('vectors are compared within the agent (%s), and no table is read whole', async (agent_id, most) => {
    const nodes = await searched(near(agent_id))
    expect(tablesReadWhole(nodes)).toEqual([])
    expect(fetched(nodes, 'embeddings')).toBeGreaterThan(0)
    expect(fetched(nodes, 'embeddings')).toBeLessThanOrEqual(most)
    expect(fetched(nodes)).toBeLessThanOrEqual(most)
  })
})

const all = { kinds: memoryKinds, statuses: memoryStatuses, before: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }
const fading = { kinds: memoryKinds, after_at: '-infinity', after_id: '00000000-0000-0000-0000-000000000000' }
const page = 10
describe.each(['force_generic_plan', 'force_custom_plan'])('with %s', (mode) => {
  test.each<[string, (ctx: BrandCtx) => unknown, number]>([
    ['the top of a large agent', (ctx) => search.listTop(ctx, { ...wanted('big'), limit: page }), 12 * page],
    [
      'what the file of a large agent shows',
      (ctx) => listBest(ctx, { ...wanted('big'), limit: page, low: page }),
      13 * page,
    ],
    [
      'a list of the workspace',
      (ctx) => memories.listMemories(ctx, undefined, { ...all, limit: page }),
      18 * page,
    ],
    ['a list of an agent', (ctx) => memories.listMemories(ctx, 'big', { ...all, limit: page }), 18 * page],
    [
      'what expires in the workspace',
      (ctx) => memories.listFading(ctx, undefined, { ...fading, within_days: 365, limit: page }),
      page,
    ],
    [
      'what expires of an agent',
      (ctx) => memories.listFading(ctx, 'big', { ...fading, within_days: 365, limit: page }),
      // Of each kind those of the last moment are read to the end.
      12 * page,
    ],
  ])('%s reads a few pages, whatever there is', async (_, sends, most) => {
    const nodes = await planOf(mode, onlySentBy(brand_id, sends))
    expect(fetched(nodes)).toBeGreaterThan(0)
    expect(fetched(nodes)).toBeLessThanOrEqual(most)
  })

  test.each([undefined, 'big'])('statistics (agent %s) are counted in an index alone', async (agent_id) => {
    const nodes = await planOf(
      mode,
      onlySentBy(brand_id, (ctx: BrandCtx) => stats.countMemories(ctx, agent_id)),
    )
    expect(fetched(nodes)).toBe(0)
  })
})

test('what the functions of the database say of decay is what the rules say', async () => {
  const { rows } = await client.query<{
    confidence: number
    weeks: number
    effective: number
    is_in: boolean
  }>(
    `select c as confidence, w as weeks,
       memory.effective_confidence(c, now() - w * interval '168 hours', 'normal', now()) as effective,
       memory.fades_at(c, now() - w * interval '168 hours', 'normal') > now() as is_in
     from unnest(array[0, 0.2, 0.29, 0.3, 0.31, 0.5, 0.8, 1]::float8[]) c cross join generate_series(0, 120, 8) w`,
  )
  expect(rows).toHaveLength(8 * 16)
  for (const { confidence, weeks, effective, is_in } of rows) {
    const now = new Date('2026-01-01T00:00:00.000Z')
    const anchored_at = new Date(now.getTime() - weeks * 7 * 24 * 3_600_000).toISOString()
    const said = effectiveConfidence({ confidence, anchored_at, importance: 'normal' }, now)
    expect(effective).toBeCloseTo(said, 9)
    expect([confidence, weeks, is_in]).toEqual([confidence, weeks, said >= 0.3 - 1e-9])
  }
})
