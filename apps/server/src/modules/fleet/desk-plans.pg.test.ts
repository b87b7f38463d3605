import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { type PlanNode, planNodes } from '@crewhall/testkit/plan-nodes.ts'
import { onlySentBy, type SentStatement } from '@crewhall/testkit/sent-statements.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import * as commands from './commands/commands.store.ts'
import * as desks from './desks/desks.store.ts'
import * as timeline from './health/timeline.store.ts'
import * as photos from './photos/desk-photos.store.ts'
import * as beats from './protocol/beats.store.ts'
import * as updates from './updates/updates.store.ts'

// The plans of statements as the product sends them, under row-level security, in a database where reading desks of other
// workspaces would show.

const own = 40
const pageSize = 20
let database: TestDatabase
let client: pg.Client
let one: { brand_id: number; id: string }

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const admin = await connect(database, 'superuser')
  await admin.query(
    `insert into identity.brands (name, plan_key, scope_ceiling) select 'B' || n, 'free', '{}' from generate_series(1, 500) n;
     insert into fleet.desks (brand_id, id, short_id, name, runtime, workspace_path, login_expired_at)
     select b.id, gen_random_uuid(), lpad(n::text, 8, '0'), 'D', 'codex', '/srv', now()
     from identity.brands b, generate_series(1, ${own}) n;
     insert into fleet.join_secrets (brand_id, desk_id, secret_digest, expires_at)
     select brand_id, id, encode(sha256(id::text::bytea), 'hex'), now() + interval '1 day' from fleet.desks;
     insert into fleet.desk_keys (brand_id, desk_id, public_key, fingerprint, wg_key, machine_digest, os, arch)
     select brand_id, id, repeat('A', 43), encode(sha256(id::text::bytea), 'hex'), repeat('A', 43), '', 'linux', 'x64'
     from fleet.desks;
     insert into fleet.desk_photos (brand_id, desk_id, object_key, digest)
     select brand_id, id, 'desk-photos/' || brand_id || '/' || id, repeat('0', 64) from fleet.desks;
     insert into fleet.machine_updates (brand_id, id, desk_id, requested_by, state, ended_at)
     select brand_id, gen_random_uuid(), id, 1, 'done', now() from fleet.desks, generate_series(1, 9) n;
     insert into fleet.machine_updates (brand_id, id, desk_id, requested_by)
     select brand_id, gen_random_uuid(), id, 1 from fleet.desks;
     insert into fleet.desk_commands (brand_id, id, desk_id, kind, expires_at, ended_at, outcome)
     select brand_id, gen_random_uuid(), id, 'drain', now() + interval '1 hour', now(), 'done'
     from fleet.desks, generate_series(1, 3) n;
     insert into fleet.desk_commands (brand_id, id, desk_id, kind, expires_at)
     select brand_id, gen_random_uuid(), id, 'drain', now() + interval '1 hour' from fleet.desks;
     insert into fleet.health_events (brand_id, desk_id, seq, from_state, state, misses)
     select brand_id, id, n, 'provisioning', 'ready', 0 from fleet.desks, generate_series(1, 9) n;
     analyze fleet.desk_commands; analyze fleet.health_events; analyze fleet.desk_keys; analyze fleet.machine_updates; analyze fleet.desks; analyze fleet.join_secrets; analyze fleet.desk_photos`,
  )
  const { rows } = await admin.query<typeof one>('select brand_id, id from fleet.desks limit 1')
  ;[one] = rows as [typeof one]
  await admin.end()
  client = await connect(database, 'application')
  await client.query(`select set_config('app.brand_id', $1, false)`, [String(one.brand_id)])
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const touchedOf = (node: PlanNode) =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']

const literal = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return client.escapeLiteral(`{${value}}`)
  return client.escapeLiteral(value instanceof Date ? value.toISOString() : String(value))
}

let prepared = 0
async function planOf(mode: string, { text, values }: SentStatement): Promise<PlanNode[]> {
  prepared += 1
  await client.query('begin')
  try {
    await client.query(`set local plan_cache_mode = ${mode}`)
    await client.query(`prepare p${prepared} as ${text}`)
    const given = values.length > 0 ? ` (${values.map(literal).join(', ')})` : ''
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, timing off, format json) execute p${prepared}${given}`,
    )
    return planNodes(rows[0]?.['QUERY PLAN'][0].Plan as PlanNode)
  } finally {
    await client.query('rollback')
  }
}

const long_ago = new Date('2026-01-01T00:00:00Z')
const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const cases: { name: string; sends: (ctx: BrandTx) => unknown; rows: number }[] = [
  { name: 'a desk', sends: (ctx) => desks.findDesk(ctx, one.id), rows: 1 },
  { name: 'a desk that is locked', sends: (ctx) => desks.lockDesk(ctx, one.id), rows: 1 },
  {
    name: 'a page of the list',
    sends: (ctx) => desks.listDesks(ctx, { before: newest, limit: pageSize }),
    rows: pageSize,
  },
  { name: 'the count under the cap', sends: (ctx) => desks.countLiveDesks(ctx, long_ago), rows: own },
  { name: 'the count of all', sends: (ctx) => desks.countDesks(ctx), rows: own },
  { name: 'the logins', sends: (ctx) => desks.countLogins(ctx, long_ago, 200), rows: own },
  { name: 'the machines', sends: (ctx) => updates.lockMachines(ctx, 2000), rows: own },
  { name: 'the update that waits', sends: (ctx) => updates.findOpenUpdate(ctx, one.id), rows: 1 },
  { name: 'updates of a machine', sends: (ctx) => updates.listUpdates(ctx, one.id, 5), rows: 5 },
  {
    name: 'the timeline of a desk',
    sends: (ctx) => timeline.listHealthEvents(ctx, one.id, 5),
    rows: 5,
  },
  { name: 'the turns of a desk', sends: (ctx) => timeline.countTurns(ctx, one.id), rows: 9 },
  {
    name: 'what a beat says, and what waits for its desk,',
    sends: (ctx) =>
      beats.updateHeard(ctx, {
        id: one.id,
        pending_sync_count: 1,
        login_expired: false,
        has_link: true,
        is_linked: true,
      }),
    rows: 1,
  },
  { name: 'the commands of a beat', sends: (ctx) => commands.listUnsent(ctx, one.id, 20), rows: 1 },
  { name: 'a photo', sends: (ctx) => photos.findPhoto(ctx, one.id), rows: 1 },
  {
    name: 'which objects are named',
    sends: (ctx) => photos.listNamedKeys(ctx, [`desk-photos/${one.brand_id}/${one.id}`, 'none']),
    rows: 1,
  },
]

describe.each(['force_custom_plan', 'force_generic_plan'])('with %s', (mode) => {
  test.each(cases)('$name is read from an index, and nothing of other workspaces', async (each) => {
    const nodes = await planOf(mode, onlySentBy(one.brand_id, each.sends))
    const read = nodes.filter((node) => node['Relation Name'] && node['Node Type'].includes('Scan'))
    expect(read.length).toBeGreaterThan(0)
    expect(read.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
    for (const node of read) expect(touchedOf(node)).toBeLessThanOrEqual(each.rows)
  })
})
