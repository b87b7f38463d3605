import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { type PlanNode, planNodes } from '@crewhall/testkit/plan-nodes.ts'
import { onlySentBy } from '@crewhall/testkit/sent-statements.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import * as store from './consolidation.store.ts'

// An agent with many memories that share tags, as the role of the product and under row-level security.

const size = 6000
const tagged = { agent_id: 'big', tag: 'common' }

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
  await admin.query(`insert into identity.agents (brand_id, agent_id, name) values ($1, 'big', 'Bot')`, [
    brand_id,
  ])
  await admin.query(
    `insert into memory.memories (brand_id, id, agent_id, kind, title, body, tags, text_hash, created_by, updated_by)
     select $1, gen_random_uuid(), 'big', 'learning', 'T', 'B', array['common', 'tag ' || n / 10], '', '{}', '{}'
     from generate_series(1, $2::int) n`,
    [brand_id, size],
  )
  await admin.query('vacuum analyze memory.memories, memory.tag_uses')
  await admin.end()
  client = await connect(database, 'application')
  await client.query(`select set_config('app.brand_id', $1, false)`, [String(brand_id)])
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

/** Rows that a statement looks at, of tables and indexes, and how many of them it throws away. */
async function looked(
  mode: string,
  sends: (ctx: BrandCtx) => unknown,
): Promise<{ rows: number; scans: string[] }> {
  const { text, values } = onlySentBy(brand_id, sends)
  const name = `plan_${Math.random().toString(36).slice(2)}`
  await client.query(`set plan_cache_mode = ${mode}`)
  await client.query(`prepare ${name} as ${text}`)
  const literals = values.map((value) => client.escapeLiteral(String(value))).join(', ')
  await client.query('begin')
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) execute ${name} (${literals})`,
  )
  await client.query('rollback')
  const nodes = planNodes(rows[0]?.['QUERY PLAN'][0].Plan as PlanNode).filter(
    (node) => node['Actual Loops'] > 0,
  )
  const scans = nodes.filter(
    (node) => node['Relation Name'] !== undefined && node['Node Type'].includes('Scan'),
  )
  const seen = (node: PlanNode) =>
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
  return {
    rows: scans.reduce((sum, node) => sum + seen(node), 0),
    scans: scans.map((node) => node['Node Type']),
  }
}

describe.each(['force_generic_plan', 'force_custom_plan'])('with %s', (mode) => {
  test('the learnings of a tag are the newest 200, whatever there is', async () => {
    const { rows, scans } = await looked(mode, (ctx) => store.listOpen(ctx, tagged, 200))
    expect(rows).toBeGreaterThanOrEqual(400)
    expect(rows).toBeLessThanOrEqual(400 + 10)
    expect(scans).not.toContain('Seq Scan')
  })

  test('a rare tag costs what it has', async () => {
    const { rows } = await looked(mode, (ctx) => store.listOpen(ctx, { ...tagged, tag: 'tag 7' }, 200))
    expect(rows).toBeLessThanOrEqual(30)
  })

  test('how common a tag is takes a bounded count', async () => {
    const { rows, scans } = await looked(mode, (ctx) => store.countUse(ctx, tagged, 100))
    expect(rows).toBeLessThanOrEqual(100 + 500 + 10)
    expect(scans).not.toContain('Seq Scan')
  })
})
