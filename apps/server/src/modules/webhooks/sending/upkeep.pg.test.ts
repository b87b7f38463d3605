import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OutsideSystemCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { loadConfig } from '../../../config.ts'
import { createParts, type Parts } from '../../../parts.ts'
import { oldestDueSeconds } from './upkeep.service.ts'

let database: TestDatabase
let parts: Parts
let admin: pg.Client
let ctx: OutsideSystemCtx

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const env = { DATABASE_URL: database.url, REDIS_URL: readServiceFacts().redis.url, LOG_LEVEL: 'silent' }
  parts = await createParts(loadConfig(env), 'worker')
  ctx = systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'test' })
  admin = await connect(database, 'superuser')
  await admin.query(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}');
     insert into webhooks.endpoints (brand_id, id, url, events, secret)
     select id, gen_random_uuid(), 'https://example.com/', '{task.*}', decode('00', 'hex') from identity.brands;
     insert into webhooks.deliveries (brand_id, webhook_id, event, payload, queued_at, next_attempt_at)
     select brand_id, id, 'task.moved', '{}', now() - interval '2 days', now() + interval '1 hour'
     from webhooks.endpoints`,
  )
})
afterAll(async () => {
  await admin.end()
  await parts.close()
  await database.drop()
})

const late = async (change: string) => {
  await admin.query(change)
  return Math.round((await oldestDueSeconds(ctx)) / 60)
}

test('a delivery that waits for its next attempt is not late, however old it is', async () => {
  expect(await late(`update webhooks.endpoints set wake_at = now() + interval '1 hour'`)).toBe(0)
})

test.each([false, true])(
  'an endpoint that nobody sends to is late from when it was due (slow: %s)',
  async (isSlow) => {
    const due = `update webhooks.endpoints set is_slow = ${isSlow}, wake_at = now() - interval '20 minutes'`
    expect(await late(due)).toBe(20)
    expect(await late('update webhooks.endpoints set is_enabled = false')).toBe(0)
    await admin.query('update webhooks.endpoints set is_enabled = true, wake_at = null')
  },
)

test('a delivery that nobody has taken note of is late, too', async () => {
  await admin.query(`update webhooks.deliveries set next_attempt_at = now() - interval '10 minutes'`)
  expect(await late('select')).toBe(0)
  const arrive =
    'insert into webhooks.arrivals (brand_id, webhook_id) select brand_id, id from webhooks.endpoints'
  expect(await late(arrive)).toBe(10)
  expect(await late(`update webhooks.endpoints set resting_until = now() + interval '5 minutes'`)).toBe(0)
})
