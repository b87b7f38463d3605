import { useServer } from '@crewhall/testkit/test-server.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '#platform/db/database.ts'
import { createPool } from '#platform/db/pool.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { enterBrand } from '#platform/db/tenancy.ts'
import { createLog } from '#platform/log/log.ts'

// Several connections, so that statements would spread over them if they did not travel together.
const server = useServer('probe')
let database: Database

beforeAll(async () => {
  const options = {
    url: server.database.url,
    size: 5,
    connect_timeout_ms: 20_000,
    statement_timeout_ms: 5000,
    idle_transaction_timeout_ms: 10_000,
    application_name: 'test',
  }
  database = new Database(createPool(options, createLog({ level: 'silent', process_name: 'test' })), 5250)
  const owner = await server.connection('owner')
  await owner.query(`
    create table probe.gathered (n int);
    create function probe.entered_brand() returns text language sql as $$ select current_setting('app.brand_id', true) $$;
    grant select, insert on probe.gathered to public`)
  await owner.end()
})
afterAll(() => database?.close())

const where = statement<object, { pid: number; brand: string }>(
  () => sql`select pg_backend_pid() as pid, probe.entered_brand() as brand`,
)
const when = statement<{ at: string }, { at: string }>((p) => sql`select ${p.at}::timestamptz as at`)
const series = statement<{ to: number }, { n: number }>(
  (p) => sql`select n from generate_series(1, ${p.to}::int) n`,
)
const divide = statement<{ by: number }, { quotient: number }>(
  (p) => sql`select 10 / ${p.by}::int as quotient`,
)
const add = statement<{ n: number }, unknown>((p) => sql`insert into probe.gathered values (${p.n})`)
const added = statement<object, { n: number }>(() => sql`select n from probe.gathered`)

/** As a request has it: told when it was entered. */
const caller = (brand: number, epoch: number | null = null) =>
  database.queryable({
    statement: enterBrand,
    values: [brand, epoch, epoch === null ? null : '2000-01-01T00:00:00Z', null, null],
    entered() {},
  })

/** Twice, so that the second time meets connections that know the statements. */
async function twice(work: () => Promise<void>): Promise<void> {
  await work()
  for (let n = 0; n < 20; n += 1) await Promise.all([1, 2, 3, 4, 5].map(() => caller(1).first(where, {})))
  await work()
}

test('reads that one caller asks for at the same moment share a connection', () =>
  twice(async () => {
    const db = caller(3)
    const rows = await Promise.all([1, 2, 3].map(() => db.first(where, {})))
    expect(new Set(rows.map((row) => row?.pid)).size).toBe(1)
    expect(rows.map((row) => row?.brand)).toEqual(['3', '3', '3'])
  }))

test('each gets its own rows, read as they always are', () =>
  twice(async () => {
    const db = caller(1)
    const [numbers, moment, none, one] = await Promise.all([
      db.all(series, { to: 3 }),
      db.first(when, { at: '2026-01-02 03:04:05.678901+00' }),
      db.all(series, { to: 0 }),
      db.first(divide, { by: 5 }),
    ])
    expect(numbers).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(moment).toEqual({ at: '2026-01-02T03:04:05.678901Z' })
    expect(none).toEqual([])
    expect(one).toEqual({ quotient: 2 })
  }))

test('one that fails fails alone', () =>
  twice(async () => {
    const db = caller(2)
    const [first, failed, last] = await Promise.allSettled([
      db.all(series, { to: 1 }),
      db.first(divide, { by: 0 }),
      db.first(where, {}),
    ])
    expect(first).toMatchObject({ status: 'fulfilled', value: [{ n: 1 }] })
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
    expect(last).toMatchObject({ status: 'fulfilled', value: { brand: '2' } })
  }))

test('a write does not go with the reads beside it, so it stays when one of them fails', async () => {
  const db = caller(1)
  await Promise.allSettled([db.first(divide, { by: 0 }), db.run(add, { n: 7 }), db.first(divide, { by: 0 })])
  expect(await db.all(added, {})).toEqual([{ n: 7 }])
})

test('a caller who is not let in is told so for each of them', () =>
  twice(async () => {
    const db = caller(1, 5)
    const answers = await Promise.allSettled([db.first(where, {}), db.all(series, { to: 2 })])
    const stale = { status: 'rejected', reason: { name: 'StaleCaller' } }
    expect(answers).toMatchObject([stale, stale])
  }))

test('callers of the same moment do not share', () =>
  twice(async () => {
    const rows = await Promise.all([1, 2, 3, 4, 5].map((brand) => caller(brand).first(where, {})))
    expect(rows.map((row) => row?.brand)).toEqual(['1', '2', '3', '4', '5'])
  }))
