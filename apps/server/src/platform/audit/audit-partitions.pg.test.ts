import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { executedPartitions, listPartitions, setDatabaseClock } from '@crewhall/testkit/partitions.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Queryable } from '#platform/db/database.ts'
import { clientTypes } from '#platform/db/pool.ts'
import type { Statement } from '#platform/db/statement.ts'
import { writeAudit } from './audit.ts'
import { hasLostAudit, listAuditEntries } from './audit-list.ts'

let database: TestDatabase
let client: pg.Client
let brand: number
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  client = new pg.Client({ connectionString: database.url, types: clientTypes })
  await client.connect()
  await client.query(`select set_config('app.system', 'on', false), set_config('TimeZone', 'UTC', false)`)
  const { rows } = await client.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}') returning id`,
  )
  brand = rows[0]?.id ?? 0
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

/** Statements of the product on the connection of the test, as the role of the product. */
const db = {
  all: async (statement: Statement<unknown, unknown>, params: unknown) =>
    (await client.query(statement.sql, statement.bind(params))).rows,
  first: async (statement: Statement<unknown, unknown>, params: unknown) =>
    (await client.query(statement.sql, statement.bind(params))).rows[0],
  run: async (statement: Statement<unknown, unknown>, params: unknown) =>
    (await client.query(statement.sql, statement.bind(params))).rowCount,
} as unknown as Queryable

const actor = { kind: 'system', name: 'test' } as const
const write = (n: number) =>
  writeAudit(
    db,
    { brand_id: brand, actor, request_id: null },
    { action: 'thing.changed', target: `${n}`, from: null, to: n },
  )
const roll = (keep: number) => client.query('select platform.roll_audit($1)', [keep])
const list = (after_at = '-infinity', limit = 1000) =>
  listAuditEntries(db, { brand_id: brand, after_at, after_id: '0', limit })

test('K12: months are made ahead and dropped past their time, and a cursor into a dropped one is known', async () => {
  expect(await listPartitions(client, 'platform.audit_entries')).toHaveLength(3)
  for (let month = 0; month < 24; month += 1) {
    await setDatabaseClock(database.name, `${month} months`)
    await write(month)
    await roll(0)
  }
  expect((await list()).map(({ target }) => target)).toEqual(Array.from({ length: 24 }, (_, n) => `${n}`))
  expect(await listPartitions(client, 'platform.audit_entries')).toHaveLength(26)
  const [first, , third] = await list()
  await roll(21)
  const kept = (await list()).map(({ target }) => Number(target))
  expect(kept).toEqual(Array.from({ length: 22 }, (_, n) => n + 2))
  const lost = (after_at = '') => hasLostAudit(db, { brand_id: brand, after_at })
  expect([await lost(first?.created_at), await lost(third?.created_at)]).toEqual([true, false])
  await roll(21)
  expect((await list()).length).toBe(22)
})

test.each(['force_generic_plan', 'force_custom_plan'])(
  'K12: a page that lies in two months looks into two partitions, with %s',
  async (mode) => {
    await client.query(`set plan_cache_mode = ${mode}`)
    const entries = await list()
    const looked = async (after_at: string, limit: number) => {
      let found: string[] = []
      const explaining = {
        async all(statement: Statement<unknown, unknown>, params: unknown) {
          found = await executedPartitions(client, 'audit_entries', statement, statement.bind(params))
          return []
        },
      } as unknown as Queryable
      await listAuditEntries(explaining, { brand_id: brand, after_at, after_id: '9000000000', limit })
      return found.length
    }
    const at = (n: number) => entries.at(n)?.created_at ?? ''
    // Behind an entry of one month, and one entry of the next; then the end of the list, and a place behind it.
    expect(await looked(at(4), 1)).toBe(2)
    expect(await looked(at(-2), 50)).toBe(2)
    expect(await looked(at(-1), 50)).toBe(1)
    expect(await looked(at(3), 3)).toBe(4)
  },
)

test('K12: no write fails for want of a month, whatever the clock does', async () => {
  const before = (await list()).length
  for (const [n, offset] of ['10 years', '-3 years', '20 years'].entries()) {
    await setDatabaseClock(database.name, offset)
    await write(100 + n)
  }
  await roll(0)
  await write(200)
  const targets = (await list()).slice(before).map(({ target }) => target)
  // In the order of commits, although the clock was set back.
  expect(targets).toEqual(['100', '101', '102', '200'])
})

test('K12: partitions that Postgres knows to be empty are made anew, because its plans get worse with them', async () => {
  const owner = await connect(database, 'owner')
  const known = async () =>
    (
      await owner.query(
        `select from pg_inherits i join pg_class c on c.oid = i.inhrelid join platform.partitions_of(i.inhparent) p
           on p.name::regclass = c.oid
         where i.inhparent = 'platform.audit_entries'::regclass and c.reltuples = 0
           and (p.from_at is null or p.from_at > platform.now())`,
      )
    ).rowCount
  await owner.query('vacuum analyze platform.audit_entries')
  expect(await known()).toBeGreaterThan(3)
  const before = (await list()).length
  await roll(0)
  expect([await known(), (await list()).length]).toEqual([0, before])
  await owner.end()
})

test.each([
  ['update', `update platform.audit_entries set actor_name = 'somebody else'`],
  ['delete', 'delete from platform.audit_entries'],
  ['truncate', 'truncate platform.audit_entries'],
  [
    'insert into a partition',
    'insert into platform.audit_entries_tail overriding system value select * from platform.audit_entries',
  ],
  ['read a partition', 'select from platform.audit_entries_tail'],
  ['forget a horizon', 'delete from platform.horizons'],
])('S13: the role of the product cannot %s', async (_, sql) => {
  await expect(client.query(sql)).rejects.toMatchObject({ code: '42501' })
})
