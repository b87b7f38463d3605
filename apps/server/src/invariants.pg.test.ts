import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkInvariants } from './invariants.ts'

let database: TestDatabase
let client: pg.Client
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  client = await connect(database, 'superuser')
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

async function brokenOnes(): Promise<Record<string, number>> {
  const broken: Record<string, number> = {}
  for await (const { id, broken: found } of checkInvariants(client))
    if (found?.length) broken[id] = found.length
  return broken
}

test('nothing is broken in a new installation', async () => {
  expect(await brokenOnes()).toEqual({})
})

test('what is looked at in part, or not at all, is told', async () => {
  const untold: string[] = []
  for await (const { id, broken } of checkInvariants(client)) if (broken === undefined) untold.push(id)
  expect(untold).toEqual(['I1, I2', 'I3', 'I5', 'I6', 'I8', 'I9', 'I10', 'I11', 'I18'])
})

const card = (number: number, reference: string | null) =>
  `insert into boards.cards (brand_id, board_id, number, column_id, rank, title, status, task_type, client_ref,
     reporter, created_by, updated_by)
   values (1, '00000000-0000-0000-0000-000000000001', ${number}, gen_random_uuid(), 'a', 'One', 'pending', 'coding',
     ${reference === null ? 'null' : `'${reference}'`}, '{}', '{}', '{}')`
const withoutKeys =
  'alter table boards.cards drop constraint cards_number_key cascade, drop constraint cards_client_ref_key cascade'
const hires = (minutes: number) =>
  `insert into hires.hires (brand_id, id, profile_id, version, is_grant, current_period_end, created_at)
   select 1, gen_random_uuid(), gen_random_uuid(), 1, false, now(), now() + n * interval '${minutes} minutes'
   from generate_series(1, 6) n`
const event = (misses: number) =>
  `insert into fleet.health_events (brand_id, desk_id, seq, from_state, state, misses)
   values (1, gen_random_uuid(), 1, 'ready', 'unreachable', ${misses})`
const merge = (tag: string) =>
  `insert into memory.merges (brand_id, source_id, pattern_id, agent_id, tag)
   values (1, gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'a', '${tag}')`
const change = `insert into profiles.changes (brand_id, profile_key, field, new_value, actor_user_id, actor_role)
   values (1, 'a', 'limit_value', '5', 1, 'brand_admin')`

test.each<[string, string[], Record<string, number>]>([
  [
    'a card that only the feed knows',
    [
      `insert into boards.activity (brand_id, board_id, created_at, action, card_id, actor)
       values (1, gen_random_uuid(), now(), 'task.created', gen_random_uuid(), '{}')`,
    ],
    { I1: 1 },
  ],
  [
    'two cards of one number, and two of one reference',
    [withoutKeys, card(1, null), card(1, 'r'), card(2, 'r')],
    { I2: 2 },
  ],
  ['a sixth hire within the hour', [hires(11)], { I6: 1, I18: 6 }],
  ['a sixth hire after the hour', [hires(12)], { I18: 6 }],
  ['a desk lost at the second miss', [event(2)], { I9: 1 }],
  ['a desk lost at the third miss', [event(3)], {}],
  ['a pattern of two tags', [merge('a'), merge('b')], { I12: 1 }],
  ['a pattern of one tag', [merge('a'), merge('a')], {}],
  ['a setting that is not what its last change says', [change], { I17: 1 }],
  [
    'a setting that is',
    [change, `insert into profiles.overrides (brand_id, profile_key, limit_value) values (1, 'a', 5)`],
    {},
  ],
  [
    'a desk that nobody ordered',
    [
      `insert into fleet.desks (brand_id, id, short_id, name, runtime, workspace_path)
       values (1, gen_random_uuid(), 'abcd', 'One', 'custom', '/w')`,
    ],
    { I18: 1 },
  ],
])('%s', async (_, plants, expected) => {
  await client.query('begin')
  try {
    // Rows without those that they refer to.
    await client.query('set local session_replication_role = replica')
    for (const plant of plants) await client.query(plant)
    expect(await brokenOnes()).toEqual(expected)
  } finally {
    await client.query('rollback')
  }
})
