import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { startStrictPooler } from '@crewhall/testkit/strict-pooler.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Life } from '#platform/bulkheads/life.ts'
import { systemClock } from '#platform/clock/clock.ts'
import { systemCtx } from '#platform/ctx/ctx.ts'
import { Database, type DatabaseOptions } from '#platform/db/database.ts'
import { createPool, type PoolOptions } from '#platform/db/pool.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { createLog } from '#platform/log/log.ts'
import { Outage } from '#platform/outage/outage.ts'

const log = createLog({ level: 'silent', process_name: 'test' })
let copy: TestDatabase
let outside: pg.Client
beforeAll(async () => {
  copy = await cloneDatabase(templateName('probe'))
  outside = await connect(copy, 'superuser')
})
afterAll(async () => {
  await outside.end()
  await copy.drop()
})

function make(options: Partial<PoolOptions>, more: DatabaseOptions): Database {
  const standard = {
    url: copy.url,
    size: 4,
    connect_timeout_ms: 2000,
    statement_timeout_ms: 5000,
    idle_transaction_timeout_ms: 10_000,
    application_name: 'test',
  }
  return new Database(createPool({ ...standard, ...options }, log), 5250, more)
}

function open(options: Partial<PoolOptions> = {}, more: DatabaseOptions = {}): Database {
  const database = make(options, more)
  onTestFinished(() => database.close())
  return database
}

const ctxOf = (database: Database, life?: Life) => {
  const enqueue = async () => {
    throw new Error('these tests enqueue nothing')
  }
  const parts = { database, clock: systemClock, fault_point: async () => {}, listeners: [], enqueue }
  return systemCtx(parts, log, { kind: 'system', name: 'test' }, null, life)
}

const sleep = statement<object, unknown>(() => sql`select pg_sleep(20)`)
const pid = statement<object, { pid: number }>(() => sql`select pg_backend_pid() as pid`)
const lockRow = statement<object, unknown>(() => sql`select from probe.rows where id = 1 for update`)

test.for([
  { where: 'alone', run: (database: Database) => database.statements.run(sleep, {}) },
  {
    where: 'in a transaction',
    run: (database: Database) => database.transaction(undefined, (tx) => tx.run(sleep, {})),
  },
  { where: 'of a brand', run: (database: Database) => ctxOf(database).forBrand(1).db.run(sleep, {}) },
])('K3: a statement that ran too long $where leaves its connection in use', async ({ run }) => {
  const database = open({ size: 1, statement_timeout_ms: 200 })
  const before = await database.statements.first(pid, {})
  await expect(run(database)).rejects.toMatchObject({ name: 'Outage', reason: 'timeout' })
  expect(await database.statements.first(pid, {})).toEqual(before)
})

test('K3: a row that another one holds is waited for no longer than the lock limit, and the connection is kept', async () => {
  const database = open({ size: 1, lock_timeout_ms: 200 })
  const before = await database.statements.first(pid, {})
  await outside.query('begin; select from probe.rows where id = 1 for update')
  try {
    const work = database.transaction(undefined, (tx) => tx.run(lockRow, {}))
    await expect(work).rejects.toMatchObject({ name: 'Outage', reason: 'overloaded', status: 503 })
    expect(await database.statements.first(pid, {})).toEqual(before)
  } finally {
    await outside.query('rollback')
  }
})

const isSleeping = async (name: string) => {
  const { rowCount } = await outside.query(
    `select 1 from pg_stat_activity where application_name = $1 and state = 'active' and query like '%pg_sleep%'`,
    [name],
  )
  return rowCount === 1
}

test.for([
  { what: 'read', run: (ctx: ReturnType<typeof ctxOf>) => ctx.forBrand(1).db.run(sleep, {}) },
  {
    what: 'transaction',
    run: (ctx: ReturnType<typeof ctxOf>) => ctx.forBrand(1).tx((ctx) => ctx.db.run(sleep, {})),
  },
])(
  'K3: a $what for which nobody waits any more ends in the server, and its connection is kept',
  async ({ what, run }) => {
    const name = `test-cancel-${what}`
    const database = open({ size: 1, application_name: name })
    const before = await database.statements.first(pid, {})
    const life = new Life(database)
    const work = run(ctxOf(database, life))
    work.catch(() => {})
    await waitFor(() => isSleeping(name), 20_000)
    const gone = new Outage('service', 'unreachable')
    const begun = performance.now()
    life.end(gone)
    await expect(work).rejects.toBe(gone)
    expect(performance.now() - begun).toBeLessThan(10_000)
    expect(await isSleeping(name)).toBe(false)
    expect(await database.statements.first(pid, {})).toEqual(before)
  },
)

test('K3: a transaction whose caller has gone is not committed, even when no statement was under way', async () => {
  const database = open()
  const life = new Life(database)
  const add = statement<object, unknown>(() => sql`insert into probe.rows (name) values ('of nobody')`)
  const work = ctxOf(database, life)
    .forBrand(1)
    .tx(async (ctx) => {
      await ctx.db.run(add, {})
      life.end(new Outage('service', 'timeout'))
    })
  await expect(work).rejects.toMatchObject({ name: 'Outage' })
  expect((await outside.query(`select 1 from probe.rows where name = 'of nobody'`)).rowCount).toBe(0)
})

test('K3: one workspace holds no more than its share of the connections, and another one gets in', async () => {
  const waits: number[] = []
  const share = { places: 2, waiting: 1, wait_ms: 300 }
  const database = open({ size: 3 }, { share, waits: { pool: () => {}, share: (s) => waits.push(s) } })
  const ctx = ctxOf(database)
  let release = () => {}
  const until = new Promise<void>((go) => {
    release = go
  })
  const hold = () => ctx.forBrand(1).tx(() => until)
  const held = [hold(), hold()]
  const third = ctx.forBrand(1).db.first(pid, {})
  await expect(ctx.forBrand(1).db.first(pid, {})).rejects.toMatchObject({ reason: 'overloaded', status: 503 })
  expect(await ctx.forBrand(2).db.first(pid, {})).toBeDefined()
  await expect(third).rejects.toMatchObject({ reason: 'overloaded' })
  expect(waits).toHaveLength(1)
  release()
  await Promise.all(held)
  expect(await ctx.forBrand(1).db.first(pid, {})).toBeDefined()
})

test('K3: a long walk holds a connection set aside, of which a workspace gets one', async () => {
  const walks = make({ size: 2 }, { share: { places: 1, waiting: 0, wait_ms: 300 } })
  const database = open({ size: 1 }, { walks })
  const ctx = ctxOf(database)
  const long = { is_long: true }
  await ctx.forBrand(1).snapshot(async (ctx) => {
    await ctx.db.first(pid, {})
    const other = ctxOf(database)
    // The only common connection is free all the while.
    expect(await other.forBrand(1).db.first(pid, {})).toBeDefined()
    await expect(other.forBrand(1).snapshot((ctx) => ctx.db.first(pid, {}), long)).rejects.toMatchObject({
      reason: 'overloaded',
    })
    expect(await other.forBrand(2).snapshot((ctx) => ctx.db.first(pid, {}), long)).toBeDefined()
  }, long)
})

const broken = statement<object, unknown>(() => sql`select 1 / 0`)
const after = statement<object, { word: string }>(() => sql`select 'after' as word`)

test('behind a pooler, a statement that failed while it was prepared is not prepared again under its name', async () => {
  const pooler = await startStrictPooler(readServiceFacts().postgres)
  const database = open({ url: pooler.through(copy.url), is_pooled: true, size: 1 })
  onTestFinished(() => pooler.close())
  for (let count = 0; count < 3; count += 1)
    await expect(
      database.transaction(undefined, (tx) => Promise.all([tx.run(broken, {}), tx.run(after, {})])),
    ).rejects.toThrow('division by zero')
  expect(await database.statements.first(after, {})).toEqual({ word: 'after' })
  expect([...pooler.repeated]).toEqual([])
})
