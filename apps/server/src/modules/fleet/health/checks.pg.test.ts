import { randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { DeskCrowd } from '@crewhall/testkit/desk-crowd.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OutsideSystemCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { loadConfig } from '../../../config.ts'
import { createParts, type Parts } from '../../../parts.ts'
import * as store from './checks.store.ts'
import * as timeline from './timeline.store.ts'

const crowd = new DeskCrowd('store', 2)
const id = crowd.members[0]?.id ?? ''
let database: TestDatabase
let parts: Parts
let admin: pg.Client
let ctx: OutsideSystemCtx
let brand_id = 0

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const env = { DATABASE_URL: database.url, REDIS_URL: readServiceFacts().redis.url, LOG_LEVEL: 'silent' }
  parts = await createParts(loadConfig(env), 'worker')
  ctx = systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'test' })
  admin = await connect(database, 'superuser')
  const { rows } = await admin.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}') returning id`,
  )
  brand_id = rows[0]?.id ?? 0
  await crowd.plant(admin, [brand_id], 9)
})
afterAll(async () => {
  await admin.end()
  await parts.close()
  await database.drop()
})

const cell = 0
const hold = (holder: string) => store.updateHold(ctx, { cell, holder, seconds: 20 })
const lapse = () => admin.query(`update fleet.poll_cells set held_until = now() - interval '1 second'`)
const watched = async () => {
  const [row] = await store.listWatched(ctx, [{ brand_id, id }])
  if (!row) throw new Error('it is not watched')
  return row
}
const write = (fence: string, generation: string) =>
  ctx.forBrand(brand_id).tx((ctx) =>
    store.updateFound(ctx, {
      ...{ id, cell, fence, generation, state: 'ready', misses: 0, version: '1', digest: null },
      ...{ is_upgraded: false, kind: 'answered', miss_cause: null, is_turn: true },
    }),
  )

test('a cell has one holder, and whoever has lost it writes nothing', async () => {
  const [one, two] = [randomUUID(), randomUUID()]
  const first = await hold(one)
  expect(await hold(two)).toBeUndefined()
  expect(await hold(one)).toEqual(first)
  await lapse()
  const second = await hold(two)
  expect(Number(second?.fence)).toBe(Number(first?.fence) + 1)
  const { generation } = await watched()
  expect(await write(first?.fence ?? '', generation)).toBe(false)
  await store.updateHeard(ctx, { cell, fence: first?.fence ?? '' }, [await watched()])
  expect(await watched()).toMatchObject({ state: 'provisioning', is_checked: false })
  expect(await write(second?.fence ?? '', generation)).toBe(true)
  expect(await watched()).toMatchObject({ state: 'ready', is_checked: true })
})

test('a holder that leaves is followed at once', async () => {
  const [one, two] = [randomUUID(), randomUUID()]
  await lapse()
  await hold(one)
  await store.updateLeft(ctx, { cell, holder: two })
  expect(await hold(two)).toBeUndefined()
  await store.updateLeft(ctx, { cell, holder: one })
  expect(await hold(two)).toBeDefined()
})

test('of a desk that was suspended meanwhile nothing is written', async () => {
  await lapse()
  const held = await hold(randomUUID())
  const { generation } = await watched()
  await admin.query('update fleet.desks set generation = generation + 1 where id = $1', [id])
  expect(await write(held?.fence ?? '', generation)).toBe(false)
})

test('a desk has its last events and no more', async () => {
  const event = {
    id,
    kind: 'check',
    from_state: 'ready',
    state: 'ready',
    cause: 'timeout',
    latency_ms: 1,
  } as const
  for (let misses = 1; misses <= 12; misses += 1)
    await ctx.forBrand(brand_id).tx((ctx) => timeline.insertHealthEvent(ctx, { ...event, misses }, 5))
  const rows = await timeline.listHealthEvents(ctx.forBrand(brand_id), id, 100)
  expect(rows.map(({ misses }) => misses)).toEqual([12, 11, 10, 9, 8])
  const { rows: kept } = await admin.query('select from fleet.health_events')
  expect(kept).toHaveLength(5)
})
