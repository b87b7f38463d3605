import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { type PlanNode, planNodes } from '@crewhall/testkit/plan-nodes.ts'
import { onlySentBy, type SentStatement } from '@crewhall/testkit/sent-statements.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import * as deliveries from './deliveries/deliveries.store.ts'
import * as outbox from './outbox/outbox.store.ts'
import * as sending from './sending/sending.store.ts'

// The plans of the statements that run for every change of a board and for every wake-up, as the product sends
// them, under row-level security, in a database where reading a whole table would show.

let database: TestDatabase
let client: pg.Client
let one: { brand_id: number; webhook_id: string; middle: string; seq: string }

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const admin = await connect(database, 'superuser')
  await admin.query(
    `insert into identity.brands (name, plan_key, scope_ceiling) select 'B' || n, 'free', '{}' from generate_series(1, 300) n;
     insert into webhooks.endpoints (brand_id, id, url, events, secret)
     select b.id, gen_random_uuid(), 'https://example.com/', '{task.*}', decode('00', 'hex')
     from identity.brands b, generate_series(1, 5) where b.id % 2 = 0;
     update webhooks.endpoints set wake_at = now() + make_interval(mins => brand_id), is_slow = brand_id % 4 = 0;
     update webhooks.endpoints set wake_at = now() where brand_id in (select min(brand_id) from webhooks.endpoints);
     insert into webhooks.deliveries (brand_id, webhook_id, event, payload, status, next_attempt_at, created_at)
     select e.brand_id, e.id, 'task.moved', '{}', case when n % 20 = 0 then 'pending' else 'delivered' end,
       case when n % 20 = 0 then now() end, now() - make_interval(mins => n)
     from webhooks.endpoints e, generate_series(1, 40) n;
     insert into webhooks.deliveries (brand_id, webhook_id, event, payload, status, next_attempt_at)
     select e.brand_id, e.id, 'task.moved', '{}', case when n % 2 = 0 then 'pending' else 'delivered' end,
       case when n % 2 = 0 then now() end
     from (select * from webhooks.endpoints order by brand_id limit 1) e, generate_series(1, 20000) n;
     analyze webhooks.endpoints; analyze webhooks.deliveries_head`,
  )
  const { rows } = await admin.query<typeof one>(
    `select brand_id, webhook_id, max(created_at)::text as middle, max(seq) - 10000 as seq from webhooks.deliveries
     group by 1, 2 order by count(*) desc limit 1`,
  )
  ;[one] = rows as [typeof one]
  await admin.end()
  client = await connect(database, 'application')
  await client.query(`select set_config('app.brand_id', $1, false)`, [String(one.brand_id)])
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const touchedOf = (node: PlanNode) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)

let prepared = 0
async function planOf(mode: string, { text, values }: SentStatement): Promise<PlanNode[]> {
  prepared += 1
  await client.query('begin')
  try {
    await client.query(`set local plan_cache_mode = ${mode}`)
    await client.query(`prepare p${prepared} as ${text}`)
    const given = values.map((value) =>
      value === null ? 'null' : client.escapeLiteral(Array.isArray(value) ? `{${value}}` : String(value)),
    )
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, timing off, format json) execute p${prepared}${given.length > 0 ? ` (${given.join(', ')})` : ''}`,
    )
    return planNodes(rows[0]?.['QUERY PLAN'][0].Plan as PlanNode)
  } finally {
    await client.query('rollback')
  }
}

const uuid = '00000000-0000-4000-8000-000000000000'
const page = (before_at: string, before_seq: string) => ({
  webhook_id: one.webhook_id,
  before_at,
  before_seq,
  limit: 50,
  status: undefined,
})
const cases: { name: string; sends: (ctx: BrandTx & SystemCtx) => unknown; rows: number }[] = [
  {
    name: 'the outbox',
    sends: (ctx) =>
      outbox.insertDeliveries(ctx, [
        {
          event: 'task.moved',
          board_id: uuid,
          payload: '{}',
          patterns: ['task.moved', 'task.*', '*'],
        },
      ]),
    rows: 5,
  },
  {
    name: 'a claim',
    sends: (ctx) => sending.claimEndpoint(ctx, { webhook_id: one.webhook_id, sender: uuid, seconds: 60 }),
    rows: 2,
  },
  { name: 'what is due', sends: (ctx) => sending.listDue(ctx, one.webhook_id, 40), rows: 500 },
  {
    name: 'K10: which endpoints are due',
    sends: (ctx) => sending.listAwake(ctx, { known: [], limit: 500 }),
    rows: 5,
  },
  { name: 'how late the senders are', sends: (ctx) => sending.findOldestDue(ctx), rows: 5 },
  {
    name: 'a release',
    sends: (ctx) =>
      sending.updateReleased(ctx, one.webhook_id, {
        sender: uuid,
        failures: 0,
        rest_seconds: null,
        latency_ms: 10,
        is_slow: false,
      }),
    rows: 2,
  },
  {
    name: 'the newest deliveries',
    sends: (ctx) => deliveries.listDeliveryPage(ctx, page('infinity', '0')),
    rows: 50,
  },
  {
    name: 'a deep page of deliveries',
    sends: (ctx) => deliveries.listDeliveryPage(ctx, page(one.middle, one.seq)),
    rows: 50,
  },
  {
    name: 'a deep page of those that wait',
    sends: (ctx) => deliveries.listDeliveryPage(ctx, { ...page(one.middle, one.seq), status: 'pending' }),
    rows: 50,
  },
]

describe.each(['force_custom_plan', 'force_generic_plan'])('with %s', (mode) => {
  test.each(cases)('$name is read from an index, and not more of it than is wanted', async (each) => {
    const nodes = await planOf(mode, onlySentBy(one.brand_id, each.sends))
    const read = nodes.filter((node) => node['Relation Name'] && node['Node Type'].includes('Scan'))
    expect(read.length).toBeGreaterThan(0)
    // Of a day that is empty nothing is read, whichever way.
    const whole = read.filter((node) => node['Node Type'] === 'Seq Scan')
    expect(whole.filter((node) => touchedOf(node) > 0)).toEqual([])
    for (const node of read) {
      expect(touchedOf(node) * node['Actual Loops']).toBeLessThanOrEqual(each.rows)
    }
  })
})
