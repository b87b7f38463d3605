import { useServer } from '@crewhall/testkit/test-server.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '#platform/clock/clock.ts'
import { type SystemCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { Database } from '#platform/db/database.ts'
import { createPool } from '#platform/db/pool.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { createLog } from '#platform/log/log.ts'

// Far more requests than connections, so that every connection serves many brands in turn.
const server = useServer('probe', {
  // All 200 come from one client network.
  HTTP_MAX_OPEN_PER_NETWORK: '0',
  DATABASE_POOL_SIZE: '2',
})
const log = createLog({ level: 'silent', process_name: 'test' })
let pool: pg.Pool
let ctx: SystemCtx

beforeAll(async () => {
  const owner = await server.connection('owner')
  await owner.query(`
    create table probe.secrets (brand_id int not null, text text not null);
    insert into probe.secrets select n % 3 + 1, 'secret of brand ' || n % 3 + 1 from generate_series(1, 30) as n;
    alter table probe.secrets enable row level security;
    alter table probe.secrets force row level security;
    create policy own on probe.secrets
      using (brand_id = nullif(current_setting('app.brand_id', true), '')::int)
      with check (brand_id = nullif(current_setting('app.brand_id', true), '')::int);
    grant select, insert on probe.secrets to public`)
  await owner.end()
  pool = createPool(
    {
      url: server.database.url,
      size: 2,
      connect_timeout_ms: 20_000,
      statement_timeout_ms: 5000,
      idle_transaction_timeout_ms: 10_000,
      application_name: 'test',
    },
    log,
  )
  const enqueue = async () => {}
  const parts = {
    database: new Database(pool, 5250),
    clock: systemClock,
    fault_point: async () => {},
    listeners: [],
    enqueue,
  }
  ctx = systemCtx(parts, log, { kind: 'system', name: 'test' })
})
afterAll(() => pool?.end())

const readBrand = statement<object, { brand: string | null }>(
  () => sql`select nullif(current_setting('app.brand_id', true), '') as brand`,
)
const brandsSeen = statement<object, { brand_id: number }>(
  () => sql`select distinct brand_id from probe.secrets order by 1`,
)
const addSecret = statement<{ brand_id: number }, unknown>(
  (p) => sql`insert into probe.secrets (brand_id, text) values (${p.brand_id}, 'new')`,
)
const fail = statement<object, unknown>(() => sql`select 1 / 0`)
const many = Array.from({ length: 200 }, (_, n) => n + 1)

test('200 requests at once on two connections each see their own brand, and none outside of it', async () => {
  const answers = await Promise.all(
    many.map(async (id) => {
      const response = await server.get(`/api/v1/probe/brands/${id}/setting`)
      return { id, status: response.status, seen: await response.json() }
    }),
  )
  const wrong = answers.filter(
    ({ id, status, seen }) =>
      status !== 200 ||
      JSON.stringify(seen) !== JSON.stringify({ alone: String(id), inside: String(id), outside: null }),
  )
  expect(wrong).toEqual([])
})

test('the naive twin, a plain SET on a pooled connection, shows a brand the rows of another one', async () => {
  const naive = new pg.Pool({ connectionString: server.database.url, max: 2 })
  onTestFinished(() => naive.end())
  const wrong = await Promise.all(
    many.map(async (n) => {
      const id = (n % 3) + 1
      await naive.query(`set app.brand_id = '${id}'`)
      const { rows } = await naive.query<{ brand_id: number }>(brandsSeen.sql)
      return rows.length !== 1 || rows[0]?.brand_id !== id
    }),
  )
  expect(wrong.filter(Boolean).length).toBeGreaterThan(0)
  // And it stays: whoever comes next without naming a brand sees rows.
  expect((await naive.query(brandsSeen.sql)).rows).toHaveLength(1)
})

test('row-level security shows a brand its own rows, alone and in a transaction', async () => {
  const brand = ctx.forBrand(2)
  expect(await brand.db.all(brandsSeen, {})).toEqual([{ brand_id: 2 }])
  expect(await brand.tx((tx) => tx.db.all(brandsSeen, {}))).toEqual([{ brand_id: 2 }])
})

test('without a brand no row is seen and none can be written', async () => {
  await ctx.forBrand(1).db.all(brandsSeen, {})
  expect(await ctx.db.all(brandsSeen, {})).toEqual([])
  await expect(ctx.db.run(addSecret, { brand_id: 1 })).rejects.toMatchObject({ code: '42501' })
})

test('a brand cannot write into another one', async () => {
  await expect(ctx.forBrand(1).db.run(addSecret, { brand_id: 2 })).rejects.toMatchObject({ code: '42501' })
  await ctx.forBrand(1).db.run(addSecret, { brand_id: 1 })
})

test('the brand is gone from a connection after a failed statement and after work that threw', async () => {
  const brand = ctx.forBrand(3)
  const work = () =>
    brand.tx(async () => {
      throw new Error('on purpose')
    })
  await Promise.all(many.slice(0, 10).map(() => expect(brand.db.run(fail, {})).rejects.toThrow()))
  await Promise.all(many.slice(0, 10).map(() => expect(work()).rejects.toThrow('on purpose')))
  const seen = await Promise.all(many.slice(0, 10).map(() => ctx.db.first(readBrand, {})))
  expect(seen).toEqual(seen.map(() => ({ brand: null })))
})

test('many brands at once on two connections never see rows of each other', async () => {
  const seen = await Promise.all(
    many.map(async (n) => {
      const id = (n % 3) + 1
      const rows = await ctx.forBrand(id).tx((tx) => tx.db.all(brandsSeen, {}))
      return rows.length === 1 && rows[0]?.brand_id === id
    }),
  )
  expect(seen.filter((right) => !right)).toEqual([])
})
