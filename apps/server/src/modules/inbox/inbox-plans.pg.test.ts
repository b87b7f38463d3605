import { inboxKinds } from '@crewhall/contracts/inbox/inbox.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { type PlanNode, planNodes } from '@crewhall/testkit/plan-nodes.ts'
import { onlySentBy } from '@crewhall/testkit/sent-statements.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import * as store from './entries/entries.store.ts'
import { countNew, listNew } from './mail/due-mail.store.ts'

// What Postgres reads for one person among many, who has never marked anything, under row-level security.

let database: TestDatabase
let client: pg.Client
let brand: number
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const owner = await connect(database, 'owner')
  client = await connect(database, 'application')
  await owner.query(`select set_config('app.system', 'on', false)`)
  const { rows } = await owner.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}') returning id`,
  )
  brand = rows[0]?.id ?? 0
  await owner.query(
    `insert into inbox.entries (brand_id, person_id, kind, state, subject_kind, subject_id, title, at, ends_at)
     select $1, case when n % 2 = 0 then 1 else n % 500 + 2 end, ($2::text[])[n % 5 + 1],
       (array['unread', 'read', 'done', 'snoozed'])[n / 5 % 4 + 1], 'task', n::text, repeat('x', 80),
       now() - n * interval '1 minute', now() + interval '1 year'
     from generate_series(1, 40000) n`,
    [brand, inboxKinds],
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

const reader = { person_id: 1, is_admin: false, scopes: [] }
const limit = 21
const first = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }
const span = { since: '2020-01-01T00:00:00Z', until: 'infinity' }
const reads: [string, number, (ctx: BrandCtx) => unknown][] = [
  // Five kinds in three walks: what is unread, what has slept enough, what is read.
  [
    'the first page',
    limit * 15,
    (ctx) =>
      store.listEntries(ctx, { ...reader, states: ['unread', 'read'], kinds: inboxKinds, ...first, limit }),
  ],
  [
    'a page of one kind, far down',
    limit,
    (ctx) => {
      const far = { at: '2026-01-01T00:00:00Z', id: first.id }
      return store.listEntries(ctx, { ...reader, states: ['done'], kinds: ['broke'], ...far, limit })
    },
  ],
  ['the count of what is unread', 1000, (ctx) => store.countUnread(ctx, { ...reader, limit: 1000 })],
  ['what a mail names', limit * 5, (ctx) => listNew(ctx, { ...reader, ...span, limit })],
  ['what a mail counts', 1000, (ctx) => countNew(ctx, { ...reader, ...span, limit: 1000 })],
]
const literalOf = (value: unknown): string => {
  if (value === null) return 'null'
  return client.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value))
}

let prepared = 0
test.each(reads)('%s is read by index, and no more rows than it shows', async (_, most, call) => {
  const { text, values } = onlySentBy(brand, call)
  prepared += 1
  await client.query(`prepare s${prepared} as ${text}`)
  const { rows } = await client.query(
    `explain (analyze, format json) execute s${prepared} (${values.map(literalOf).join(', ')})`,
  )
  const plans = planNodes(rows[0]['QUERY PLAN'][0].Plan as PlanNode)
  const scans = plans.filter((plan) => plan['Relation Name'] === 'entries')
  expect(scans.length).toBeGreaterThan(0)
  let read = 0
  for (const scan of scans) {
    expect(scan['Index Name'] ?? `no index on ${scan['Relation Name']}`).toBe('entries_listed')
    read += (scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0)) * scan['Actual Loops']
  }
  expect(read).toBeLessThanOrEqual(most)
})
