import { randomBytes, randomUUID } from 'node:crypto'
import { deskStates } from '@crewhall/contracts/fleet/desk.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BrandCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { loadConfig } from '../../../config.ts'
import { createParts, type Parts } from '../../../parts.ts'
import { isDormant, silentBefore } from './desk-status.rules.ts'
import * as store from './desks.store.ts'

let database: TestDatabase
let parts: Parts
let admin: pg.Client
let brand_id = 0
let ctx: BrandCtx

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const env = { DATABASE_URL: database.url, REDIS_URL: readServiceFacts().redis.url, LOG_LEVEL: 'silent' }
  parts = await createParts(loadConfig(env), 'api')
  admin = new pg.Client({ connectionString: database.url, options: '-c app.system=on' })
  await admin.connect()
  const { rows } = await admin.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}') returning id`,
  )
  brand_id = rows[0]?.id ?? 0
  ctx = systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'test' }).forBrand(brand_id)
})
afterAll(async () => {
  await parts.close()
  await admin.end()
  await database.drop()
})

const now = new Date('2026-03-01T00:00:00Z')
const boundary = silentBefore(now).getTime()

test('DESK-45, DESK-50, ENV-41: what is counted as dormant is what the rule says, to the millisecond', async () => {
  const times = [null, ...[-1, 0, 1].map((ms) => new Date(boundary + ms))]
  for (const state of deskStates)
    for (const created_at of times.filter((time) => time !== null))
      for (const last_seen_at of times)
        for (const resumed_at of times)
          await admin.query(
            `insert into fleet.desks (brand_id, id, short_id, name, runtime, workspace_path, state, created_at,
               last_seen_at, resumed_at, login_expired_at) values ($1, $2, $3, 'D', 'codex', '/srv', $4, $5, $6, $7, $5)`,
            [
              brand_id,
              randomUUID(),
              randomBytes(4).toString('hex'),
              state,
              created_at,
              last_seen_at,
              resumed_at,
            ],
          )
  const rows = await store.listDesks(ctx, { before: 'ffffffff-ffff-ffff-ffff-ffffffffffff', limit: 1000 })
  expect(rows).toHaveLength(192)
  const dormant = rows.filter((row) => isDormant(row, now)).length
  // One of three orders is too old, with what was heard and resumed just as old or not at all: 1 × 2 × 2 in 3 states.
  expect(dormant).toBe(12)
  expect(await store.countLiveDesks(ctx, silentBefore(now))).toBe(192 - dormant)
  const logins = await store.countLogins(ctx, silentBefore(now), 5)
  expect(logins).toMatchObject({ checked: 192 - dormant, dormant, expired_count: 192 - dormant })
  expect(logins?.expired).toHaveLength(5)
  expect(await store.countDesks(ctx)).toBe(192)
})
