import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { type PlanNode, planNodes } from '@crewhall/testkit/plan-nodes.ts'
import { onlySentBy } from '@crewhall/testkit/sent-statements.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import * as store from './context.store.ts'

// What Postgres reads for the context of one card among many, under row-level security, by what stores really send.

let database: TestDatabase
let client: pg.Client
let card: { brand_id: number; id: string }
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const owner = await connect(database, 'owner')
  client = await connect(database, 'application')
  await owner.query(`select set_config('app.system', 'on', false)`)
  await owner.query(`
    insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}');
    insert into boards.boards (brand_id, key, name, board_type) select id, 'CORE', 'B', 'kanban' from identity.brands;
    insert into boards.boards (brand_id, key, name, board_type)
    select brand_id, 'B' || translate(lpad(n::text, 4, '0'), '0123456789', 'ABCDEFGHIJ'), 'B', 'kanban'
    from boards.boards, generate_series(1, 500) n;
    insert into boards.columns (brand_id, board_id, name, name_key, status, rank)
    select brand_id, id, 'To do', 'to do', 'pending', 'a0' from boards.boards;
    -- Cards of many boards, or the place of the only board among all ids decides on the plan.
    insert into boards.cards (brand_id, board_id, number, column_id, rank, title, status, task_type, reporter, created_by, updated_by)
    select k.brand_id, board_id, n, k.id, lpad(n::text, 8, '0'), repeat('x', 80), 'pending', 'coding', '{}', '{}', '{}'
    from (select *, row_number() over (order by id) as place from boards.columns) k
    join generate_series(1, 20000) as n on k.place = n % 501 + 1;
    insert into boards.card_texts (brand_id, card_id) select brand_id, id from boards.cards;
    insert into boards.comments (brand_id, card_id, body, author)
    select brand_id, id, 'x', '{}' from boards.cards, generate_series(1, 3);
    insert into boards.runs (brand_id, card_id, number, started_by)
    select brand_id, id, n, '{}' from boards.cards, generate_series(1, 3) n;
    insert into boards.relations (brand_id, card_id, kind, other_id)
    select a.brand_id, a.id, 'blocks', b.id from boards.cards a join boards.cards b on b.number = a.number + 1;
    -- The card that is asked for has far more of everything than is shown.
    insert into boards.comments (brand_id, card_id, body, author)
    select brand_id, id, 'x', '{}' from boards.cards, generate_series(1, 3000) where number = 7;
    insert into boards.runs (brand_id, card_id, number, started_by)
    select brand_id, id, n + 3, '{}' from boards.cards, generate_series(1, 3000) n where number = 7`)
  await owner.query('vacuum analyze')
  const { rows } = await owner.query<typeof card>('select brand_id, id from boards.cards where number = 7')
  card = rows[0] ?? { brand_id: 0, id: '' }
  await owner.end()
  await client.query(`select set_config('app.brand_id', $1, false)`, [String(card.brand_id)])
  await client.query('set plan_cache_mode = force_generic_plan')
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const shown = { limit: 30, characters: 1200 }
let prepared = 0
const reads: [string, (ctx: BrandCtx) => unknown][] = [
  ['the card', (ctx) => store.findContextCard(ctx, card.id)],
  ['its parent', (ctx) => store.findOtherCard(ctx, card.id)],
  ['what blocks it', (ctx) => store.listOpenBlockers(ctx, card.id, 30)],
  ['its newest runs', (ctx) => store.listNewestRuns(ctx, card.id, shown)],
  ['its newest comments', (ctx) => store.listNewestComments(ctx, card.id, shown)],
]
test.each(reads)('%s is read by index only, and no more rows than are shown', async (_, call) => {
  const { text, values } = onlySentBy(card.brand_id, call)
  const given = values.map((value) => client.escapeLiteral(String(value)))
  prepared += 1
  await client.query(`prepare s${prepared} as ${text}`)
  const { rows } = await client.query(
    `explain (analyze, format json) execute s${prepared} (${given.join(', ')})`,
  )
  const plans = planNodes(rows[0]['QUERY PLAN'][0].Plan as PlanNode)
  const scans = plans.filter((plan) => plan['Relation Name'] !== undefined)
  expect(scans.length).toBeGreaterThan(0)
  for (const scan of scans) {
    expect(scan['Index Name'] ?? `no index on ${scan['Relation Name']}`).toBe(scan['Index Name'])
    expect(scan['Actual Rows'] * scan['Actual Loops']).toBeLessThanOrEqual(30)
    expect(scan['Rows Removed by Filter'] ?? 0).toBe(0)
  }
})
