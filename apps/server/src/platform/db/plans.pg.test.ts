import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Database, type Queryable } from '#platform/db/database.ts'
import { createPool } from '#platform/db/pool.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { seeAllBrands } from '#platform/db/tenancy.ts'
import { createLog } from '#platform/log/log.ts'

// What a running process meets when a release changes tables under it.

let copy: TestDatabase
let admin: pg.Client
beforeAll(async () => {
  copy = await cloneDatabase(templateName('probe'))
  admin = await connect(copy, 'superuser')
})
afterAll(async () => {
  await admin.end()
  await copy.drop()
})

const size = 4
function open(): Database {
  const pool = createPool(
    {
      url: copy.url,
      size,
      connect_timeout_ms: 2000,
      statement_timeout_ms: 5000,
      idle_transaction_timeout_ms: 10_000,
      application_name: 'test',
    },
    createLog({ level: 'silent', process_name: 'test' }),
  )
  const database = new Database(pool, 5250)
  onTestFinished(() => database.close())
  return database
}

const ways: [string, (database: Database, work: (db: Queryable) => Promise<unknown>) => Promise<unknown>][] =
  [
    ['a single statement', (database, work) => work(database.statements)],
    ['a statement of a brand', (database, work) => work(database.queryable(seeAllBrands))],
    ['a transaction', (database, work) => database.transaction(undefined, work)],
    ['a snapshot', (database, work) => database.snapshot(seeAllBrands, work)],
    ['a long snapshot', (database, work) => database.snapshot(seeAllBrands, work, { is_long: true })],
  ]
let tables = 0
async function newTable(): Promise<string> {
  tables += 1
  const name = `probe.stale_${tables}`
  await admin.query(`create table ${name} (id int, label varchar(20)); insert into ${name} values (1, 'one');
    grant all on ${name} to public`)
  return name
}

test.each(ways)('K8: %s is planned anew after the type of a column has changed', async (_, by) => {
  const database = open()
  const table = await newTable()
  const read = statement<object, { id: number; label: string }>(() => sql`select id, label from ${table}`)
  const ask = () => by(database, (db) => db.all(read, {}))
  // Every connection has a plan, and has used it often enough to keep it.
  for (let n = 0; n < 8; n += 1) await Promise.all(Array.from({ length: size }, ask))
  await admin.query(`alter table ${table} alter id type bigint, alter label type text`)
  const after = await Promise.all(Array.from({ length: 20 }, ask))
  expect(after).toEqual(Array.from({ length: 20 }, () => [{ id: 1, label: 'one' }]))
  await admin.query(`alter table ${table} alter label type varchar(40)`)
  expect(await ask()).toEqual([{ id: 1, label: 'one' }])
})

test.each(ways)('K8: %s is planned anew when the server has forgotten it', async (_, by) => {
  const database = open()
  const read = statement<object, { n: number }>(() => sql`select ${String(tables + 40)} as n`)
  const ask = () => by(database, (db) => db.all(read, {}))
  for (let n = 0; n < 3; n += 1) await Promise.all(Array.from({ length: size }, ask))
  const clients = await Promise.all(Array.from({ length: size }, () => database.pool.connect()))
  for (const client of clients) {
    await client.query('deallocate all')
    client.release()
  }
  expect(await Promise.all(Array.from({ length: 8 }, ask))).toEqual(
    Array.from({ length: 8 }, () => [{ n: tables + 40 }]),
  )
})

test('K8: what Postgres cannot do at all is asked for once', async () => {
  await admin.query('create sequence probe.tries; grant all on probe.tries to public')
  const never = statement<object, unknown>(
    () =>
      sql`do $$ begin perform nextval('probe.tries'); raise exception 'not today' using errcode = '0A000'; end $$`,
  )
  await expect(open().statements.run(never, {})).rejects.toMatchObject({ code: '0A000' })
  // A sequence counts also what was rolled back.
  expect((await admin.query('select last_value, is_called from probe.tries')).rows).toEqual([
    { last_value: '1', is_called: true },
  ])
})
