import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { type PlanNode, planNodes } from '@crewhall/testkit/plan-nodes.ts'
import { onlySentBy, type SentStatement } from '@crewhall/testkit/sent-statements.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { findBuried, listBuried } from '../automation/automation.store.ts'
import { listProvenance, listWritten } from '../automation/provenance.store.ts'
import * as store from './proposals.store.ts'

// What Postgres reads of a workspace with many proposals, tombstones and quotes, as the role of the product.

const sizes = { agents: 20, each: 500 }
const some = '00000000-0000-0000-0000-000000000007'
const beginning = '00000000-0000-0000-0000-000000000000'

let database: TestDatabase
let client: pg.Client
let brand_id: number
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const admin = await connect(database, 'superuser')
  const { rows } = await admin.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}') returning id`,
  )
  brand_id = rows[0]?.id ?? 0
  await admin.query(
    `insert into identity.agents (brand_id, agent_id, name) select $1, 'bot-' || n, 'Bot' from generate_series(1, $2::int) n`,
    [brand_id, sizes.agents],
  )
  await admin.query(
    `insert into memory.proposals (brand_id, id, agent_id, kind, reason, memory_id, content, digest, conversation_id, source_id, state, decided_at)
     select brand_id, gen_random_uuid(), agent_id, (array['new', 'change', 'conflict'])[1 + n % 3], 'locked',
       gen_random_uuid(), '{}', sha256(n::text::bytea),
       gen_random_uuid(), gen_random_uuid(),
       case when n % 5 = 0 then 'open' else 'rejected' end, case when n % 5 = 0 then null else now() end
     from identity.agents cross join generate_series(1, $1::int) n`,
    [sizes.each],
  )
  await admin.query(
    `insert into memory.tombstones (brand_id, agent_id, memory_id, text_hash, deleted_by)
     select brand_id, agent_id, gen_random_uuid(), sha256(n::text::bytea), '{}'
     from identity.agents cross join generate_series(1, $1::int) n`,
    [sizes.each],
  )
  await admin.query(
    `insert into memory.provenance (brand_id, memory_id, n, conversation_id, source_id, source_type, decision, message_seqs,
       quote, model, prompt_version)
     select $1, gen_random_uuid(), 1, case when n % 1000 = 0 then $2::uuid else gen_random_uuid() end,
       case when n % 1000 = 0 then $2::uuid else gen_random_uuid() end, 'claude_code', 'new', '{1}', 'Q', 'none', 1
     from generate_series(1, 10000) n`,
    [brand_id, some],
  )
  await admin.query('vacuum analyze memory.proposals, memory.tombstones, memory.provenance')
  await admin.end()
  client = await connect(database, 'application')
  await client.query(`select set_config('app.brand_id', $1, false)`, [String(brand_id)])
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const literal = (value: unknown): string => {
  if (value === null) return 'null'
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  return client.escapeLiteral(Array.isArray(value) ? `{${value}}` : String(value))
}
async function readBy({ text, values }: SentStatement): Promise<number> {
  const name = `plan_${Math.random().toString(36).slice(2)}`
  await client.query(`prepare ${name} as ${text}`)
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) execute ${name} (${values.map(literal).join(', ')})`,
  )
  return planNodes(rows[0]?.['QUERY PLAN'][0].Plan as PlanNode)
    .filter((node) => node['Relation Name'] !== undefined)
    .reduce((sum, node) => {
      const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
      return sum + (node['Actual Rows'] + removed) * node['Actual Loops']
    }, 0)
}

const digest = Buffer.alloc(32)
const page = {
  states: ['open'],
  kinds: ['new', 'change', 'conflict'],
  before: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  limit: 10,
} as const
describe.each(['force_generic_plan', 'force_custom_plan'])('with %s', (mode) => {
  beforeAll(() => client.query(`set plan_cache_mode = ${mode}`))

  test.each<[string, (ctx: BrandTx) => unknown, number]>([
    ['the inbox of the workspace', (ctx) => store.listProposals(ctx, undefined, page), 30],
    ['the inbox of an agent', (ctx) => store.listProposals(ctx, 'bot-7', page), 30],
    ['whether something was asked before', (ctx) => store.findAsked(ctx, { agent_id: 'bot-7', digest }), 1],
    ['whether the inbox is full', (ctx) => store.countOpenUpTo(ctx, 'bot-7', 200), 200],
    [
      'what a conversation has asked',
      (ctx) =>
        store.updateWithdrawn(
          ctx,
          { conversation_id: some },
          { kind: 'system', id: '', name: '', on_behalf_of: null },
        ),
      1,
    ],
    [
      'what is asked about a memory',
      (ctx) => store.updateClosedOf(ctx, some, { kind: 'system', id: '', name: '', on_behalf_of: null }),
      2,
    ],
    ['whether a text was deleted', (ctx) => findBuried(ctx, 'bot-7', digest), 1],
    [
      'texts of an agent that were deleted',
      (ctx) => listBuried(ctx, { agent_id: 'bot-7', model: 'none', dimension: 3, vector: null }),
      2 * sizes.each,
    ],
    ['the words of a memory', (ctx) => listProvenance(ctx, some), 1],
    [
      'what a conversation has written',
      (ctx) => listWritten(ctx, { conversation_id: some }, beginning, 5),
      30,
    ],
    ['what a source has written', (ctx) => listWritten(ctx, { source_id: some }, beginning, 5), 30],
  ])('%s reads what it names, however much there is', async (_, sends, most) => {
    expect(await readBy(onlySentBy<BrandTx>(brand_id, sends))).toBeLessThanOrEqual(most)
  })
})
