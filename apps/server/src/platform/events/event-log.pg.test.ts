import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { executedPartitions, listPartitions, setDatabaseClock } from '@crewhall/testkit/partitions.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Queryable } from '#platform/db/database.ts'
import { clientTypes } from '#platform/db/pool.ts'
import type { Statement } from '#platform/db/statement.ts'
import { eventLog } from './event-log.ts'
import { writeEvent } from './write-event.ts'

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

type AnyStatement = Statement<unknown, unknown>
let looked: string[] | undefined
/** Statements of the product on the connection of the test, as the role of the product. */
const all = async (statement: AnyStatement, params: unknown) => {
  const values = statement.bind(params, brand)
  if (looked) looked = await executedPartitions(client, 'workspace_events', statement, values)
  return (await client.query(statement.sql, values)).rows
}
const db = {
  all,
  first: async (...args: Parameters<typeof all>) => (await all(...args))[0],
} as unknown as Queryable
const ctx = () => ({ brandId: brand, db }) as unknown as BrandCtx

const write = (n: number) =>
  writeEvent(
    db,
    { brand_id: brand, actor: { kind: 'system', name: 'test' } },
    { type: 'member.added', subject_id: `${n}`, data: { user_id: n, role: 'member', via: 'invitation' } },
  )
const roll = (keep: number) => client.query('select platform.roll_events($1)', [keep])
const beginning = { created_at: '1970-01-01T00:00:00Z', id: '0' }
const list = async (limit = 1000) => eventLog.listAfter(ctx(), { ...beginning, limit })
const subjects = async () => (await list()).map(({ subject }) => Number(subject.id))

test('E1: months of events are made ahead and dropped past their time', async () => {
  expect(await listPartitions(client, 'platform.workspace_events')).toHaveLength(4)
  for (let month = 0; month < 12; month += 1) {
    await setDatabaseClock(database.name, `${month} months`)
    await write(month)
    await roll(0)
  }
  expect(await subjects()).toEqual(Array.from({ length: 12 }, (_, n) => n))
  await roll(9)
  expect(await subjects()).toEqual(Array.from({ length: 10 }, (_, n) => n + 2))
  const { rows } = await client.query(
    `select from platform.horizons where list = 'platform.workspace_events'`,
  )
  expect(rows).toHaveLength(1)
})

test('E1: what follows a place is read from its month on, and the end is the end', async () => {
  const entries = await list()
  const after = async (n: number, limit: number) => {
    const { id = '', created_at = '' } = entries.at(n) ?? {}
    looked = []
    const found = await eventLog.listAfter(ctx(), { id, created_at, limit })
    const partitions = looked
    looked = undefined
    return [found.length, partitions.length]
  }
  expect(await after(-2, 50)).toEqual([1, 2])
  expect(await after(3, 1)).toEqual([1, 2])
  expect(await eventLog.listAfter(ctx(), { ...(await eventLog.end(ctx())), limit: 10 })).toEqual([])
})

test('E1: no event fails for want of a month, and times rise although the clock was set back', async () => {
  const before = (await list()).length
  for (const [n, offset] of ['10 years', '-3 years', '20 years'].entries()) {
    await setDatabaseClock(database.name, offset)
    await write(100 + n)
  }
  expect((await subjects()).slice(before)).toEqual([100, 101, 102])
})

test('E1: an event takes only what its contract names', async () => {
  const data = { user_id: 1, role: 'member', via: 'invitation', full_name: 'Ann' } as const
  const given = { type: 'member.added', subject_id: '1', data } as const
  const made = writeEvent(db, { brand_id: brand, actor: { kind: 'nobody' } }, given)
  await expect(made).rejects.toThrow('full_name')
})

test.each([
  ['rewrite an event', `update platform.workspace_events set type = 'other'`],
  ['read a partition', 'select from platform.workspace_events_tail'],
])('E1: the role of the product cannot %s', async (_, text) => {
  await expect(client.query(text)).rejects.toMatchObject({ code: '42501' })
})
