import { asAdmin, cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '#platform/db/database.ts'
import { createPool } from '#platform/db/pool.ts'
import { sqlStatement, statement } from '#platform/db/statement.ts'
import { createLog } from '#platform/log/log.ts'

let copy: TestDatabase
let pool: pg.Pool
let database: Database

const open = () =>
  createPool(
    {
      url: copy.url,
      // One connection: every statement of a test runs where the next one looks.
      size: 1,
      connect_timeout_ms: 2000,
      statement_timeout_ms: 5000,
      idle_transaction_timeout_ms: 10_000,
      application_name: 'test',
    },
    createLog({ level: 'silent', process_name: 'test' }),
  )

beforeAll(async () => {
  copy = await cloneDatabase(templateName('probe'))
  // An operator's database may have a zone of its own; the session must not care.
  await asAdmin(`alter database ${copy.name} set timezone = 'Asia/Kolkata'`)
  pool = open()
  database = new Database(pool, 5250)
})
afterAll(async () => {
  await pool.end()
  await copy.drop()
})

interface Prepared {
  name: string
  uses: number
}
const prepared = async (sql: string): Promise<Prepared[]> =>
  (
    await pool.query<Prepared>(
      `select name, generic_plans + custom_plans as uses from pg_prepared_statements where statement = $1`,
      [sql],
    )
  ).rows

const addOne = sqlStatement<{ n: number }, { m: number }>('select $1::int + 1 as m', 'n')

test('a statement is prepared once under its name and used again', async () => {
  const db = database.statements
  for (const n of [1, 2, 3]) expect(await db.first(addOne, { n })).toEqual({ m: n + 1 })
  expect(await prepared(addOne.sql)).toEqual([{ name: addOne.name, uses: 3 }])
})

test('a transaction uses the same prepared statement', async () => {
  const [before] = await prepared(addOne.sql)
  await database.transaction(undefined, (tx) => tx.first(addOne, { n: 1 }))
  expect(await prepared(addOne.sql)).toEqual([{ name: addOne.name, uses: (before?.uses ?? 0) + 1 }])
})

test('a statement whose text depends on the call is prepared too', async () => {
  const compiled = { sql: 'select $1::int * 2 as m', parameters: [4] }
  const db = database.statements
  for (let n = 0; n < 2; n += 1) expect(await db.query<{ m: number }>(compiled)).toEqual([{ m: 8 }])
  expect(await prepared(compiled.sql)).toEqual([{ name: expect.stringMatching(/^s_/), uses: 2 }])
})

test('a custom plan is sent unnamed and leaves nothing prepared', async () => {
  const compiled = { sql: 'select $1::int * 3 as m', parameters: [4] }
  expect(await database.statements.query(compiled, { custom_plan: true })).toEqual([{ m: 12 }])
  expect(await prepared(compiled.sql)).toEqual([])
})

test('different texts have different names, and equal texts the same', () => {
  expect(sqlStatement('select 1').name).not.toBe(sqlStatement('select 2').name)
  expect(sqlStatement('select 1').name).toBe(sqlStatement('select 1').name)
})

test('values stand where the builder put their stand-ins, beside its own constants', async () => {
  interface Tables {
    'probe.rows': { id: number; name: string; created_at: string }
  }
  const between = statement<Tables, { to: number; from: number }>()((db, p) =>
    db
      .selectFrom('probe.rows')
      .select('name')
      .where('id', '>=', p.from)
      .where('id', '<=', p.to)
      .where('name', '!=', 'row 11')
      .orderBy('id'),
  )
  const rows = await database.statements.all(between, { from: 10, to: 12 })
  expect(rows).toEqual([{ name: 'row 10' }, { name: 'row 12' }])
})

test('a value is never part of the text', async () => {
  const echo = sqlStatement<{ text: string }, { text: string }>('select $1::text as text', 'text')
  const text = `'; drop table probe.rows; --`
  expect(await database.statements.first(echo, { text })).toEqual({ text })
  expect(
    await database.statements.first(sqlStatement('select 1 as there from probe.rows limit 1'), {}),
  ).toEqual({
    there: 1,
  })
})

test.for([
  ['2026-01-02 03:04:05.678901+00', '2026-01-02T03:04:05.678901Z'],
  ['2026-01-02 03:04:05+00', '2026-01-02T03:04:05.000000Z'],
  ['2026-01-02 03:04:05.5+05:30', '2026-01-01T21:34:05.500000Z'],
])('the timestamp %s is told as %s, to the microsecond and in UTC', async ([stored, told]) => {
  const read = sqlStatement<{ at: string }, { at: string }>('select $1::timestamptz as at', 'at')
  expect(await database.statements.first(read, { at: stored ?? '' })).toEqual({ at: told })
})

test('a timestamp that was read finds its row again', async () => {
  const db = database.statements
  await db.run(
    sqlStatement(`update probe.rows set created_at = '2026-05-06 07:08:09.123457+00' where id = 5`),
    {},
  )
  const row = await db.first(
    sqlStatement<object, { at: string }>('select created_at as at from probe.rows where id = 5'),
    {},
  )
  const found = sqlStatement<{ at: string }, { id: number }>(
    'select id from probe.rows where created_at = $1',
    'at',
  )
  expect(await db.all(found, { at: row?.at ?? '' })).toEqual([{ id: 5 }])
})

test('a bigint is a number and a date is its text', async () => {
  const read = sqlStatement<object, unknown>(
    `select 9007199254740991::bigint as big, date '2026-02-28' as day`,
  )
  expect(await database.statements.first(read, {})).toEqual({
    big: 9_007_199_254_740_991,
    day: '2026-02-28',
  })
})

test('run tells the number of rows written', async () => {
  const touch = sqlStatement<{ to: number }, unknown>(
    'update probe.rows set name = name where id <= $1',
    'to',
  )
  expect(await database.statements.run(touch, { to: 7 })).toBe(7)
})
