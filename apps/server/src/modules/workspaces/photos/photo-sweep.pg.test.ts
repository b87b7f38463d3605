import { randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '#platform/clock/clock.ts'
import { type OutsideSystemCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { createPictureObjects } from '#platform/storage/picture-objects.ts'
import { createStorage, type Storage } from '#platform/storage/storage.ts'
import type { SweepBounds } from '#platform/storage/uploaded-objects.ts'
import { loadConfig } from '../../../config.ts'
import { createParts, type Parts } from '../../../parts.ts'
import { photoRows } from './photos.service.ts'

const { redis, s3 } = readServiceFacts()
const hourMs = 3_600_000
let database: TestDatabase
let parts: Parts
let storage: Storage
let admin: pg.Client
let brand: number

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url, LOG_LEVEL: 'silent' }
  parts = await createParts(loadConfig(env), 'worker')
  storage = createStorage({ ...s3, prefix: `${database.name}/`, timeout_ms: 10_000 })
  admin = new pg.Client({ connectionString: database.url, options: '-c app.system=on' })
  await admin.connect()
  const { rows } = await admin.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}') returning id`,
  )
  brand = rows[0]?.id ?? 0
})
afterAll(async () => {
  await clear()
  storage.close()
  await parts.close()
  await admin.end()
  await database.drop()
})
beforeEach(async () => {
  await clear()
  await admin.query(`delete from workspaces.member_photos`)
  await admin.query(`update workspaces.photo_sweeps set after_key = ''`)
})

async function clear(): Promise<void> {
  for (const { key } of await storage.list(outside, '')) await storage.remove(outside, key)
}

/** So many hours from now. */
const later = (hours: number): OutsideSystemCtx => {
  const now = () => new Date(systemClock.now().getTime() + hours * hourMs)
  const ctx = { ...parts.ctx, clock: { ...parts.clock, now } }
  return systemCtx(ctx, parts.log, { kind: 'system', name: 'test' })
}
const sweepObjects = (ctx: OutsideSystemCtx, from: Storage, bounds?: SweepBounds) =>
  createPictureObjects(from, 'member-photos').sweep(ctx, photoRows, bounds)

async function stored(count: number, named: boolean): Promise<string[]> {
  const keys = Array.from({ length: count }, () => `member-photos/${brand}/${randomUUID()}`)
  for (const key of keys) {
    await storage.put(outside, key, { bytes: Buffer.from('x'), content_type: 'image/png' })
    if (named)
      await admin.query(
        `insert into workspaces.member_photos (brand_id, person_id, object_key, content_type, digest)
         values ($1, (select count(*) + 1 from workspaces.member_photos), $2, 'image/png', repeat('0', 64))`,
        [brand, key],
      )
  }
  return keys.sort()
}
const left = async () => (await storage.list(outside, '')).map(({ key }) => key).sort()
const position = async () =>
  (await admin.query<{ after_key: string }>('select after_key from workspaces.photo_sweeps')).rows[0]
    ?.after_key

test('objects that no row names are removed when they are old enough, and all others are kept', async () => {
  const named = await stored(3, true)
  const forgotten = await stored(3, false)
  await sweepObjects(later(0.9), storage)
  expect(await left()).toEqual([...named, ...forgotten].sort())
  await sweepObjects(later(1.1), storage)
  expect(await left()).toEqual(named)
})

test('a run stops after its pages, and the next one goes on there', async () => {
  const keys = await stored(7, false)
  const bounds = { page_size: 2, max_pages: 2 }
  await sweepObjects(later(2), storage, bounds)
  expect(await left()).toEqual(keys.slice(4))
  expect(await position()).toBe(keys[3])
  await sweepObjects(later(2), storage, bounds)
  expect(await left()).toEqual([])
  expect(await position()).toBe('')
})

test('a walk over kept objects comes to its end and starts over', async () => {
  const named = await stored(5, true)
  await sweepObjects(later(2), storage, { page_size: 2, max_pages: 2 })
  expect(await position()).toBe(named[3])
  await sweepObjects(later(2), storage, { page_size: 2, max_pages: 2 })
  expect(await position()).toBe('')
  expect(await left()).toEqual(named)
})

test('objects with keys of another make are left alone', async () => {
  const others = [`member-photos/${brand}/readme.txt`, 'member-photos/x/y', 'other/1/2']
  for (const key of others)
    await storage.put(outside, key, { bytes: Buffer.from('x'), content_type: 'text/plain' })
  await sweepObjects(later(2), storage)
  expect(await left()).toEqual(others.sort())
})

test('the row of one workspace does not keep the object of another', async () => {
  const [key = ''] = await stored(1, false)
  await admin.query(`insert into identity.brands (name, plan_key, scope_ceiling) values ('B', 'free', '{}')`)
  await admin.query(
    `insert into workspaces.member_photos (brand_id, person_id, object_key, content_type, digest)
     select max(id), 1, $1, 'image/png', repeat('0', 64) from identity.brands`,
    [key],
  )
  await sweepObjects(later(2), storage)
  expect(await left()).toEqual([])
})

test('without a storage there is nothing to do', async () => {
  await expect(sweepObjects(later(2), createStorage(undefined))).resolves.toBeUndefined()
})
