import { asAdmin, cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '#platform/db/database.ts'
import { createPool } from '#platform/db/pool.ts'
import { brandStatement, joined, type Named, sql, statement } from '#platform/db/statement.ts'
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

const addOne = statement<{ n: number }, { m: number }>((p) => sql`select ${p.n}::int + 1 as m`)

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

test('an engine sends texts of its own, and they are prepared too', async () => {
  const text = 'select $1::int * 2 as m'
  for (let n = 0; n < 2; n += 1) {
    const { rows } = await database.transaction(undefined, (tx) => tx.sql(text, [4]))
    expect(rows).toEqual([{ m: 8 }])
  }
  expect(await prepared(text)).toEqual([{ name: expect.stringMatching(/^s_/), uses: 2 }])
})

test('a custom plan is sent unnamed and leaves nothing prepared', async () => {
  const triple = statement<{ n: number }, { m: number }>((p) => sql`select ${p.n}::int * 3 as m`, {
    custom_plan: true,
  })
  expect(await database.statements.all(triple, { n: 4 })).toEqual([{ m: 12 }])
  expect(await prepared(triple.sql)).toEqual([])
})

test('different texts have different names, and equal texts the same', () => {
  expect(statement(() => sql`select 1`).name).not.toBe(statement(() => sql`select 2`).name)
  expect(statement(() => sql`select 1`).name).toBe(statement(() => sql`select 1`).name)
})

test('a parameter is named where it stands, and sent once however often it stands there', async () => {
  const between = statement<{ to: number; from: number }, { name: string }>(
    (p) => sql`select name from probe.rows where id >= ${p.from} and id <= ${p.to} and ${p.from} < ${p.to}
     order by id`,
  )
  expect(between.sql).toContain('id >= $1 and id <= $2 and $1 < $2')
  expect(await database.statements.all(between, { to: 11, from: 10 })).toEqual([
    { name: 'row 10' },
    { name: 'row 11' },
  ])
})

test('a piece of SQL brings its parameters along, and a list is joined', async () => {
  const above = (p: Named<{ from: number }>) => sql`id > ${p.from}`
  const few = statement<{ from: number; to: number }, { id: number }>(
    (p) => sql`select ${joined(['id', sql`name`])} from probe.rows
     where ${joined([above(p), sql`id < ${p.to}`], ' and ')}`,
  )
  expect(await database.statements.all(few, { from: 4, to: 6 })).toEqual([{ id: 5, name: 'row 5' }])
})

test('a place in the text that names no parameter is refused when the statement is written out', () => {
  expect(() => statement<{ id: number }, unknown>(() => sql`select $1`).sql).toThrow('name the parameters')
})

test('the workspace comes from the context, whatever a caller passes', async () => {
  const told = brandStatement<object, { brand: number }>((p) => sql`select ${p.brand_id}::int as brand`)
  const given = { brand_id: 8 }
  expect(await database.transaction(undefined, (tx) => tx.inBrand(7).first(told, given))).toEqual({
    brand: 7,
  })
})

test('a value is never part of the text', async () => {
  const echo = statement<{ text: string }, { text: string }>((p) => sql`select ${p.text}::text as text`)
  const text = `'; drop table probe.rows; --`
  expect(await database.statements.first(echo, { text })).toEqual({ text })
  expect(
    await database.statements.first(
      statement(() => sql`select 1 as there from probe.rows limit 1`),
      {},
    ),
  ).toEqual({
    there: 1,
  })
})

test.for([
  ['2026-01-02 03:04:05.678901+00', '2026-01-02T03:04:05.678901Z'],
  ['2026-01-02 03:04:05+00', '2026-01-02T03:04:05.000000Z'],
  ['2026-01-02 03:04:05.5+05:30', '2026-01-01T21:34:05.500000Z'],
])('the timestamp %s is told as %s, to the microsecond and in UTC', async ([stored, told]) => {
  const read = statement<{ at: string }, { at: string }>((p) => sql`select ${p.at}::timestamptz as at`)
  expect(await database.statements.first(read, { at: stored ?? '' })).toEqual({ at: told })
})

test('a timestamp that was read finds its row again', async () => {
  const db = database.statements
  await db.run(
    statement(() => sql`update probe.rows set created_at = '2026-05-06 07:08:09.123457+00' where id = 5`),
    {},
  )
  const row = await db.first(
    statement<object, { at: string }>(() => sql`select created_at as at from probe.rows where id = 5`),
    {},
  )
  const found = statement<{ at: string }, { id: number }>(
    (p) => sql`select id from probe.rows where created_at = ${p.at}`,
  )
  expect(await db.all(found, { at: row?.at ?? '' })).toEqual([{ id: 5 }])
})

test('a bigint is a number and a date is its text', async () => {
  const read = statement<object, unknown>(
    () => sql`select 9007199254740991::bigint as big, date '2026-02-28' as day`,
  )
  expect(await database.statements.first(read, {})).toEqual({
    big: 9_007_199_254_740_991,
    day: '2026-02-28',
  })
})

test('run tells the number of rows written', async () => {
  const touch = statement<{ to: number }, unknown>(
    (p) => sql`update probe.rows set name = name where id <= ${p.to}`,
  )
  expect(await database.statements.run(touch, { to: 7 })).toBe(7)
})
