import { randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { whileLocked } from '@crewhall/testkit/while-locked.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BrandTx, type OutsideSystemCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import { loadConfig } from '../../../config.ts'
import { createParts, type Parts } from '../../../parts.ts'
import { lockSubscription, subscriptionOf } from './subscriptions.service.ts'

let database: TestDatabase
let parts: Parts
let admin: pg.Client
let system: OutsideSystemCtx

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const env = { DATABASE_URL: database.url, REDIS_URL: readServiceFacts().redis.url, LOG_LEVEL: 'silent' }
  parts = await createParts(loadConfig(env), 'worker')
  admin = await connect(database, 'superuser')
  system = systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'test' })
})
afterAll(async () => {
  await admin.end()
  await parts.close()
  await database.drop()
})

async function newBrand(status = 'active', ends: string | null = null): Promise<number> {
  const { rows } = await admin.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling, subscription_status, subscription_ends_at)
     values ('A', 'free', '{}', $1, now() + $2::interval) returning id`,
    [status, ends],
  )
  return rows[0]?.id ?? 0
}

/** Something that only a workspace with a subscription gets: an agent will do. */
const insert = brandStatement<{ agent_id: string }, unknown>(
  (p) => sql`insert into identity.agents (brand_id, agent_id, name)
   values (${p.brand_id}, ${p.agent_id}, 'Written')`,
)
const writeIf = (brand_id: number, look: typeof lockSubscription) =>
  system.forBrand(brand_id).tx(async (ctx: BrandTx) => {
    if (!(await look(ctx)).is_active) return 'refused'
    await ctx.db.run(insert, { agent_id: randomUUID() })
    return 'written'
  })

const sides = [
  { side: 'the product', look: lockSubscription, isRight: true },
  { side: 'a naive twin', look: subscriptionOf as typeof lockSubscription, isRight: false },
]

test.for([
  ['active', null, true],
  ['active', '1 hour', true],
  ['active', '-1 second', false],
  ['none', null, false],
  ['past_due', '1 hour', false],
  ['canceled', '1 hour', false],
] as const)('%s with an end in %s is active: %s', async ([status, ends, is_active]) => {
  const ctx = system.forBrand(await newBrand(status, ends))
  const ends_at = ends === null ? null : expect.any(String)
  expect(await subscriptionOf(ctx)).toEqual({ status, ends_at, is_active })
  expect(await ctx.tx((ctx) => lockSubscription(ctx))).toEqual({ status, ends_at, is_active })
})

test('a workspace that there is not is refused', async () => {
  const ctx = system.forBrand(2_000_000_000)
  await expect(subscriptionOf(ctx)).rejects.toMatchObject({ status: 404 })
  await expect(ctx.tx((ctx) => lockSubscription(ctx))).rejects.toMatchObject({ status: 404 })
})

describe('nothing is written after the subscription was taken away', () => {
  const counted = 'select count(*)::int as count from identity.agents where brand_id = $1'
  const lapse = async (brand_id: number): Promise<number> => {
    const client = await connect(database, 'superuser')
    try {
      await client.query('begin')
      await client.query(`update identity.brands set subscription_status = 'canceled' where id = $1`, [
        brand_id,
      ])
      const { rows } = await client.query<{ count: number }>(counted, [brand_id])
      await client.query('commit')
      return rows[0]?.count ?? -1
    } finally {
      await client.end()
    }
  }

  // Nobody can write while the lock is there, so whoever has looked by then writes after the lapse, unless that waits.
  const lock = 'lock table identity.agents in share mode'
  test.for(sides)('on the side of $side', { timeout: 120_000 }, async ({ look, isRight }) => {
    const { rounds, wrong, examples } = await race({
      rounds: roundsFor(100, 1),
      isTwin: !isRight,
      clients: 1,
      setup: () => newBrand(),
      act: (brand_id) =>
        whileLocked<number | string>(database.name, lock, [
          () => writeIf(brand_id, look),
          () => writeIf(brand_id, look),
          () => lapse(brand_id),
          () => writeIf(brand_id, look),
        ]),
      async verdict(brand_id, [outcome]) {
        if (outcome?.status !== 'fulfilled') return String(outcome?.reason)
        const then = (outcome.value as (number | string)[])[2]
        const { rows } = await admin.query<{ count: number }>(counted, [brand_id])
        return rows[0]?.count === then ? undefined : `${then} when it lapsed, ${rows[0]?.count} in the end`
      },
    })
    console.log(`${wrong} of ${rounds} rounds were wrong`)
    if (isRight) expect(examples).toEqual([])
    else expect(wrong).toBeGreaterThan(0)
  })
})

describe('a subscription whose end comes while a write waits does not let it through', () => {
  // The twin takes the lock and asks for the time of its transaction.
  const byStart = brandStatement<object, { is_active: boolean }>(
    (p) => sql`select subscription_status = 'active' and subscription_ends_at > platform.now() as is_active
     from identity.brands where id = ${p.brand_id} for no key update`,
  )
  const naive = async (ctx: BrandTx) => ({
    ...(await subscriptionOf(ctx)),
    is_active: (await ctx.db.first(byStart, {}))?.is_active ?? false,
  })
  const waiting = `select 1 from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where not l.granted and a.datname = current_database()`

  test.for([
    { side: 'the product', look: lockSubscription, expected: 'refused' },
    { side: 'a naive twin', look: naive, expected: 'written' },
  ])('on the side of $side', async ({ look, expected }) => {
    const brand_id = await newBrand('active', '1 hour')
    const holder = await connect(database, 'superuser')
    try {
      await holder.query('begin')
      await holder.query('select 1 from identity.brands where id = $1 for update', [brand_id])
      const written = writeIf(brand_id, look)
      await waitFor(async () => (await admin.query(waiting)).rowCount === 1, 30_000)
      await holder.query(
        'update identity.brands set subscription_ends_at = clock_timestamp() where id = $1',
        [brand_id],
      )
      await holder.query('commit')
      expect(await written).toBe(expected)
    } finally {
      await holder.end()
    }
  })
})
