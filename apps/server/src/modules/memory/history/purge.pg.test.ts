import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'

let database: TestDatabase
let admin: pg.Client
let client: pg.Client
let brand_id: number
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  admin = await connect(database, 'superuser')
  const { rows } = await admin.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}') returning id`,
  )
  brand_id = rows[0]?.id ?? 0
  client = await connect(database, 'application')
  await client.query(`select set_config('app.brand_id', $1, false)`, [String(brand_id)])
})
afterAll(async () => {
  await client.end()
  await admin.end()
  await database.drop()
})

const counts = { boards: 20_000, memory: 20 }

test('what is purged is looked for among the stored responses of a few modules, and found in older ones too', async () => {
  await admin.query(
    `insert into platform.idempotency_keys (brand_id, digest, module, request, status, headers, body)
     select $1, sha256((m.name || n)::bytea), nullif(m.name, 'older'), 'asked', 201, '{}', '{"id":"' || m.name || n || '."}'
     from (values ('boards', $2::int), ('memory', $3::int), ('older', 2)) m (name, count)
     cross join lateral generate_series(1, m.count) n`,
    [brand_id, counts.boards, counts.memory],
  )
  await admin.query('vacuum analyze platform.idempotency_keys')
  const withdrawn = async (word: string) => {
    await client.query('begin')
    await client.query(`select platform.withdraw_answers($1, '{memory,lessons}', $2)`, [brand_id, word])
    const { rows: read } = await client.query<{ n: number }>(
      `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_xact_user_tables
       where schemaname = 'platform' and relname = 'idempotency_keys'`,
    )
    await client.query('commit')
    const { rows } = await admin.query<{ n: number }>(
      `select count(*)::int as n from platform.idempotency_keys where body is null and request = ''`,
    )
    return { withdrawn: rows[0]?.n, read: read[0]?.n ?? Number.NaN }
  }
  const most = counts.memory + 10
  const first = await withdrawn('memory7.')
  expect(first.withdrawn).toBe(1)
  expect(first.read).toBeLessThanOrEqual(most)
  expect((await withdrawn('older1.')).withdrawn).toBe(2)
  expect((await withdrawn('boards7.')).withdrawn).toBe(2)
})
