import { useServer } from '@crewhall/testkit/test-server.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '#platform/db/database.ts'
import { createPool } from '#platform/db/pool.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { enterBrand } from '#platform/db/tenancy.ts'
import { createLog } from '#platform/log/log.ts'

// One connection, so that each statement meets what the one before has left behind.
const server = useServer('probe')
let pool: pg.Pool
let database: Database

beforeAll(async () => {
  const options = {
    url: server.database.url,
    size: 1,
    connect_timeout_ms: 20_000,
    statement_timeout_ms: 5000,
    idle_transaction_timeout_ms: 10_000,
    application_name: 'test',
  }
  pool = createPool(options, createLog({ level: 'silent', process_name: 'test' }))
  database = new Database(pool, 5250)
  const owner = await server.connection('owner')
  await owner.query(`
    create table probe.entered (n int constraint entered_once unique deferrable initially deferred, brand text);
    create function probe.brand() returns text language sql as $$ select current_setting('app.brand_id', true) $$;
    grant select, insert on probe.entered to public`)
  await owner.end()
})
afterAll(() => database?.close())

const add = statement<{ n: number }, { brand: string }>(
  (p) => sql`insert into probe.entered values (${p.n}, probe.brand()) returning brand`,
)
const list = statement<object, { n: number; brand: string }>(
  () => sql`select n, brand from probe.entered order by n`,
)
const seen = statement<object, { brand: string | null }>(() => sql`select nullif(probe.brand(), '') as brand`)
const divide = statement<{ by: number }, { quotient: number }>(
  (p) => sql`select 10 / ${p.by}::int as quotient`,
)

const inBrand = (brand: number, epoch: number | null = null) =>
  database.queryable({
    statement: enterBrand,
    values: [brand, epoch, epoch === null ? null : '2000-01-01T00:00:00Z', null, null],
  })
/** From the second time on, both statements are known to the connection and go out together. */
const warm = async () => {
  for (const _ of [1, 2]) {
    await inBrand(1).all(list, {})
    await inBrand(1).all(seen, {})
    await inBrand(1).all(divide, { by: 2 })
  }
}

test('the statement runs inside the brand, and the next one on the connection does not', async () => {
  await warm()
  expect(await inBrand(7).first(seen, {})).toEqual({ brand: '7' })
  expect(await database.statements.first(seen, {})).toEqual({ brand: null })
})

test('rows, their number and a statement without rows are told as they are elsewhere', async () => {
  await warm()
  expect(await inBrand(1).all(divide, { by: 5 })).toEqual([{ quotient: 2 }])
  for (const n of [1, 2, 3]) expect(await inBrand(n).run(add, { n })).toBe(1)
  expect(await inBrand(9).all(list, {})).toEqual([1, 2, 3].map((n) => ({ n, brand: String(n) })))
})

test('when the brand cannot be entered the statement is not carried out, and the connection goes on', async () => {
  await inBrand(1).run(add, { n: 10 })
  await inBrand(1).run(add, { n: 11 })
  await expect(inBrand(1, 5).run(add, { n: 12 })).rejects.toMatchObject({ name: 'StaleCaller' })
  const numbers = (await inBrand(1).all(list, {})).map(({ n }) => n)
  expect(numbers).toContain(11)
  expect(numbers).not.toContain(12)
})

test('a statement that fails leaves neither rows nor its brand behind', async () => {
  await warm()
  await expect(inBrand(5).all(divide, { by: 0 })).rejects.toMatchObject({ code: '22012' })
  expect(await database.statements.first(seen, {})).toEqual({ brand: null })
  expect(await inBrand(6).first(seen, {})).toEqual({ brand: '6' })
})

test('what fails only at the commit is an error, and the row is not there', async () => {
  for (const n of [20, 21]) await inBrand(1).run(add, { n })
  await expect(inBrand(1).run(add, { n: 21 })).rejects.toMatchObject({ code: '23505' })
  expect((await inBrand(1).all(list, {})).filter(({ n }) => n === 21)).toHaveLength(1)
})

test('a thousand statements in line on one connection each get their own answer', async () => {
  await warm()
  const brands = Array.from({ length: 1000 }, (_, n) => n + 1)
  const answers = await Promise.all(
    brands.map((brand) =>
      brand % 7 === 0
        ? inBrand(brand)
            .all(divide, { by: 0 })
            .catch(() => 'failed')
        : inBrand(brand)
            .first(seen, {})
            .then((row) => row?.brand),
    ),
  )
  expect(answers).toEqual(brands.map((brand) => (brand % 7 === 0 ? 'failed' : String(brand))))
})
