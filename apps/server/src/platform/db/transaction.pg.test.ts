import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '#platform/clock/clock.ts'
import { type SystemCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { Database, type Transaction } from '#platform/db/database.ts'
import { createPool, type PoolOptions } from '#platform/db/pool.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { createLog } from '#platform/log/log.ts'

const log = createLog({ level: 'silent', process_name: 'test' })
let copy: TestDatabase
/** Sees what others see. */
let outside: pg.Client

beforeAll(async () => {
  copy = await cloneDatabase(templateName('probe'))
  outside = await connect(copy, 'superuser')
})
afterAll(async () => {
  await outside.end()
  await copy.drop()
})

function open(options: Partial<PoolOptions> = {}): Database {
  const pool = createPool(
    {
      url: copy.url,
      size: 4,
      connect_timeout_ms: 2000,
      statement_timeout_ms: 5000,
      idle_transaction_timeout_ms: 10_000,
      application_name: 'test',
      ...options,
    },
    log,
  )
  const database = new Database(pool, 5250)
  onTestFinished(() => database.close())
  return database
}

function ctxOf(database: Database): SystemCtx {
  const enqueue = async () => {
    throw new Error('these tests enqueue nothing')
  }
  const parts = { database, clock: systemClock, fault_point: async () => {}, listeners: [], enqueue }
  return systemCtx(parts, log, { kind: 'system', name: 'test' })
}

const insert = statement<{ name: string }, unknown>(
  (p) => sql`insert into probe.rows (name) values (${p.name})`,
)
const fail = statement<object, unknown>(() => sql`select 1 / 0`)
const sleep = statement<object, unknown>(() => sql`select pg_sleep(20)`)
const txid = statement<object, { id: string }>(() => sql`select pg_current_xact_id()::text as id`)

const countRows = async (name: string): Promise<number> =>
  (await outside.query('select 1 from probe.rows where name = $1', [name])).rowCount ?? 0

const raise = (tx: Transaction, code: string) =>
  tx.sql(`do $$ begin raise exception 'on purpose' using errcode = '${code}'; end $$`)

test('what the work returns is returned, and its rows are there for others', async () => {
  const result = await open().transaction(undefined, async (tx) => {
    await tx.run(insert, { name: 'committed' })
    expect(await countRows('committed')).toBe(0)
    return 'done'
  })
  expect(result).toBe('done')
  expect(await countRows('committed')).toBe(1)
})

test('work that throws leaves nothing, and its error arrives as it was', async () => {
  const database = open({ size: 1 })
  const reason = new Error('changed my mind')
  const work = database.transaction(undefined, async (tx) => {
    await tx.run(insert, { name: 'thrown' })
    throw reason
  })
  await expect(work).rejects.toBe(reason)
  expect(await countRows('thrown')).toBe(0)
  // The connection went back clean: the next transaction on it is a new one.
  await database.transaction(undefined, (tx) => tx.run(insert, { name: 'after thrown' }))
  expect(await countRows('after thrown')).toBe(1)
})

test('a failed statement that the work swallows cannot become a silent commit', async () => {
  const work = open().transaction(undefined, async (tx) => {
    await tx.run(insert, { name: 'swallowed' })
    await tx.run(fail, {}).catch(() => {})
    return 'done'
  })
  await expect(work).rejects.toThrow('a failed statement was ignored')
  expect(await countRows('swallowed')).toBe(0)
})

test('a transaction inside a transaction is the same one', async () => {
  const ctx = ctxOf(open({ size: 1 }))
  const ids: unknown[] = []
  const work = ctx.tx(async (outer) => {
    ids.push(await outer.db.first(txid, {}))
    await outer.tx(async (inner) => {
      ids.push(await inner.db.first(txid, {}))
      await inner.db.run(insert, { name: 'nested' })
    })
    throw new Error('the outer one fails')
  })
  await expect(work).rejects.toThrow('the outer one fails')
  expect(ids[0]).toBeDefined()
  expect(ids[1]).toEqual(ids[0])
  expect(await countRows('nested')).toBe(0)
})

test('a brand cannot be named inside a transaction', async () => {
  const work = ctxOf(open()).tx(async (tx) => tx.forBrand(1))
  await expect(work).rejects.toThrow('before the transaction starts')
})

test('two transactions that deadlock both succeed, because the loser runs again', async () => {
  const database = open()
  const lock = statement<{ id: number }, unknown>(
    (p) => sql`update probe.rows set name = name
     where id = ${p.id}`,
  )
  const holding = new Set<number>()
  let attempts = 0
  const cross = (first: number, second: number) => {
    let isFirstTime = true
    return database.transaction(undefined, async (tx) => {
      attempts += 1
      // Crossing once is enough; a busy machine would let them cross again and again.
      const order = isFirstTime ? [first, second] : [1, 2]
      isFirstTime = false
      for (const id of order) {
        await tx.run(lock, { id })
        holding.add(id)
        await waitFor(() => holding.size === 2, 20_000)
      }
    })
  }
  await Promise.all([cross(1, 2), cross(2, 1)])
  // At least one of them lost.
  expect(attempts).toBeGreaterThanOrEqual(3)
})

test('a transaction that lost its snapshot to another one runs again and sees what that one wrote', async () => {
  await outside.query(`update probe.rows set name = '0' where id = 3`)
  let attempts = 0
  await open().transaction(undefined, async (tx) => {
    attempts += 1
    await tx.sql('set transaction isolation level repeatable read')
    const { rows } = await tx.sql('select name::int as n from probe.rows where id = 3')
    if (attempts === 1) await outside.query(`update probe.rows set name = '10' where id = 3`)
    const [{ n } = { n: Number.NaN }] = rows as { n: number }[]
    await tx.sql('update probe.rows set name = $1 where id = 3', [String(n + 1)])
  })
  expect(attempts).toBe(2)
  expect((await outside.query('select name from probe.rows where id = 3')).rows).toEqual([{ name: '11' }])
})

test.for(['40001', '40P01'])('after four attempts the error %s goes to the caller', async (code) => {
  let attempts = 0
  const work = open().transaction(undefined, async (tx) => {
    attempts += 1
    await tx.run(insert, { name: `lost ${code}` })
    await raise(tx, code)
  })
  await expect(work).rejects.toMatchObject({ code })
  expect(attempts).toBe(4)
  expect(await countRows(`lost ${code}`)).toBe(0)
})

test.for([
  { where: 'alone', ctx: (system: SystemCtx) => system },
  { where: 'of a brand', ctx: (system: SystemCtx) => system.forBrand(1) },
])('a statement $where that lost against another one runs again', async ({ ctx }) => {
  // A sequence remembers the attempts that were rolled back.
  await outside.query(`
    drop sequence if exists probe.tries;
    create sequence probe.tries;
    grant usage on sequence probe.tries to public;
    create or replace function probe.cross() returns bigint language plpgsql as $$
    begin
      if nextval('probe.tries') < 3 then raise exception 'crossed' using errcode = '40P01'; end if;
      return currval('probe.tries');
    end $$`)
  const cross = statement<object, { tries: number }>(() => sql`select probe.cross() as tries`)
  expect(await ctx(ctxOf(open())).db.first(cross, {})).toEqual({ tries: 3 })
})

test('any other error is not tried again', async () => {
  let attempts = 0
  const work = open().transaction(undefined, async (tx) => {
    attempts += 1
    await raise(tx, '23505')
  })
  await expect(work).rejects.toMatchObject({ code: '23505' })
  expect(attempts).toBe(1)
})

test.for([
  { where: 'alone', run: (database: Database) => database.statements.run(sleep, {}) },
  {
    where: 'in a transaction',
    run: (database: Database) => database.transaction(undefined, (tx) => tx.run(sleep, {})),
  },
  { where: 'of a brand', run: (database: Database) => ctxOf(database).forBrand(1).db.run(sleep, {}) },
])('a statement that runs too long $where is an outage, and the next one works', async ({ run }) => {
  const database = open({ size: 1, statement_timeout_ms: 200 })
  const begun = performance.now()
  await expect(run(database)).rejects.toMatchObject({ name: 'Outage', part: 'database', reason: 'timeout' })
  expect(performance.now() - begun).toBeLessThan(10_000)
  expect(await database.statements.first(txid, {})).toBeDefined()
})

test('a transaction that pauses too long is ended by the server, and the process lives on', async () => {
  const database = open({ size: 1, idle_transaction_timeout_ms: 200, application_name: 'test-idle' })
  const work = database.transaction(undefined, async (tx) => {
    await tx.run(insert, { name: 'idle' })
    await waitFor(async () => {
      const { rowCount } = await outside.query(
        `select 1 from pg_stat_activity where application_name = 'test-idle'`,
      )
      return rowCount === 0
    }, 20_000)
    await tx.run(insert, { name: 'idle' })
  })
  await expect(work).rejects.toMatchObject({ name: 'Outage', part: 'database' })
  expect(await countRows('idle')).toBe(0)
  expect(await database.statements.first(txid, {})).toBeDefined()
})

test('a connection from an exhausted pool is an outage within the limit, and comes when one is free', async () => {
  const database = open({ size: 1, connect_timeout_ms: 300 })
  let release = () => {}
  const held = database.transaction(
    undefined,
    (tx) =>
      new Promise<void>((resolve, reject) => {
        release = resolve
        tx.first(txid, {}).catch(reject)
      }),
  )
  const begun = performance.now()
  await expect(database.statements.first(txid, {})).rejects.toMatchObject({
    name: 'Outage',
    part: 'database',
    reason: 'timeout',
    status: 503,
  })
  expect(performance.now() - begun).toBeLessThan(10_000)
  release()
  await held
  expect(await database.statements.first(txid, {})).toBeDefined()
})

test('a connection that dies while it is held fails its own work only', async () => {
  const database = open({ size: 1, application_name: 'test-killed' })
  const work = database.transaction(undefined, async (tx) => {
    await tx.run(insert, { name: 'killed' })
    await outside.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test-killed'`,
    )
    await tx.run(insert, { name: 'killed' })
  })
  await expect(work).rejects.toMatchObject({ name: 'Outage', part: 'database', reason: 'unreachable' })
  expect(await countRows('killed')).toBe(0)
  expect(await database.statements.first(txid, {})).toBeDefined()
})
