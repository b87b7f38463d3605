import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { type PlanNode, planNodes } from '@crewhall/testkit/plan-nodes.ts'
import { onlySentBy } from '@crewhall/testkit/sent-statements.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { takeDue } from './checks/checks.store.ts'
import { findPinned, listGranted } from './grants/grants.store.ts'
import { deleteGrantsOf, listInstalls } from './installs/installs.store.ts'
import { lockInstallsOfHire } from './references/references.store.ts'

// What Postgres reads for one workspace among many that have all they may have, under row-level security.

let database: TestDatabase
let client: pg.Client
let brand: number
const hire = '00000000-0000-4000-8000-000000000001'
const install = '00000000-0000-4000-8000-000000000002'
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const owner = await connect(database, 'owner')
  client = await connect(database, 'application')
  await owner.query(`select set_config('app.system', 'on', false)`)
  await owner.query(
    `insert into marketplace.packages (key, kind, title, description, publisher)
     select 'p-' || n, 'http', 'T', 'D', 'P' from generate_series(1, 50) n`,
  )
  await owner.query(
    `insert into marketplace.package_versions (package_key, version, touches, methods, url)
     select key, '1.0.0', '{}', '[]', 'https://example.com/' from marketplace.packages where kind = 'http'`,
  )
  const { rows } = await owner.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) select 'A', 'free', '{}' from generate_series(1, 400)
     returning id`,
  )
  brand = rows[200]?.id ?? 0
  await owner.query(
    `insert into marketplace.installs (brand_id, package_key, version, kind, origin, digest, next_check_at)
     select b.id, p.key, '1.0.0', 'http', 'hire', 'd', now() + (b.id % 100) * interval '1 minute'
     from identity.brands b cross join marketplace.packages p where p.kind = 'http'`,
  )
  await owner.query(
    `insert into marketplace.grants (brand_id, install_id, agent_id)
     select i.brand_id, i.id, 'agent-' || n from marketplace.installs i cross join generate_series(1, 5) n
     where i.brand_id <> $1`,
    [brand],
  )
  await owner.query(
    `insert into marketplace.grants (brand_id, install_id, agent_id)
     select i.brand_id, i.id, 'agent-' || n from marketplace.installs i cross join generate_series(1, 200) n
     where i.brand_id = $1`,
    [brand],
  )
  await owner.query(
    `insert into marketplace.install_refs (brand_id, package_key, hire_id, agent_id)
     select brand_id, package_key, case when n = 1 and brand_id = $1 then $2 else gen_random_uuid() end, 'agent-' || n
     from marketplace.installs cross join generate_series(1, 3) n`,
    [brand, hire],
  )
  await owner.query('vacuum analyze')
  await owner.end()
  await client.query(`select set_config('app.brand_id', $1, false)`, [String(brand)])
  await client.query('set plan_cache_mode = force_generic_plan')
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const installs = 50
const reads: [string, number, (ctx: BrandCtx) => unknown][] = [
  // Each install, and of it one grant and one reference at most.
  ['what an agent may use', installs * 3, (ctx) => listGranted(ctx, 'agent-150', installs)],
  ['what everyone may use', installs * 3, (ctx) => listGranted(ctx, null, installs)],
  ['the tools of an install', 1, (ctx) => findPinned(ctx, install, 'd')],
  // Grants and references are counted.
  ['all installs', installs * (1 + 200 + 3), (ctx) => listInstalls(ctx, installs)],
  ['what a hire refers to', installs * 3, (ctx) => lockInstallsOfHire(ctx as BrandTx, hire)],
  ['grants of an agent that retires', installs, (ctx) => deleteGrantsOf(ctx as BrandTx, 'agent-7')],
]
const literalOf = (value: unknown): string => {
  if (value === null) return 'null'
  return client.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value))
}

let prepared = 0
async function readBy(call: (ctx: BrandCtx) => unknown): Promise<{ rows: number; without_index: string[] }> {
  const { text, values } = onlySentBy(brand, call)
  prepared += 1
  await client.query(`prepare s${prepared} as ${text}`)
  await client.query('begin')
  const { rows } = await client.query(
    `explain (analyze, format json) execute s${prepared} (${values.map(literalOf).join(', ')})`,
  )
  await client.query('rollback')
  const plans = planNodes(rows[0]['QUERY PLAN'][0].Plan as PlanNode)
  const tables = ['installs', 'grants', 'install_refs']
  const scans = plans.filter(
    (plan) => tables.includes(plan['Relation Name'] ?? '') && plan['Actual Loops'] > 0,
  )
  const seen = scans.filter((plan) => /Scan/.test(plan['Node Type']))
  if (seen.length === 0) throw new Error('nothing was read')
  return {
    rows: seen.reduce(
      (sum, plan) =>
        sum + (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'],
      0,
    ),
    without_index: seen
      .filter((plan) => plan['Node Type'] === 'Seq Scan')
      .map((plan) => plan['Relation Name'] ?? ''),
  }
}

test.each(reads)('%s: no more rows are read than the workspace has there', async (_, most, call) => {
  const { rows, without_index } = await readBy(call)
  expect(without_index).toEqual([])
  expect(rows).toBeLessThanOrEqual(most)
})

test('installs that are due are found by their time, over all workspaces', async () => {
  await client.query(`select set_config('app.system', 'on', false)`)
  // Each is read once to be taken and once to be written.
  const { rows, without_index } = await readBy((ctx) =>
    takeDue({ overBrands: () => ctx } as unknown as SystemCtx, 20, 600),
  )
  await client.query(`select set_config('app.system', '', false)`)
  expect(without_index).toEqual([])
  expect(rows).toBeLessThanOrEqual(2 * 20)
})
