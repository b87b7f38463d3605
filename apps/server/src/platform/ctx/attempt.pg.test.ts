import { refusal } from '@crewhall/contracts/refusal.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '#platform/clock/clock.ts'
import { type BrandCtx, type BrandTx, systemCtx } from '#platform/ctx/ctx.ts'
import { Database } from '#platform/db/database.ts'
import { createPool } from '#platform/db/pool.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { createLog } from '#platform/log/log.ts'

const server = useServer('probe')
const log = createLog({ level: 'silent', process_name: 'test' })
let pool: pg.Pool
let ctx: BrandCtx
const told: string[] = []

beforeAll(async () => {
  const owner = await server.connection('owner')
  await owner.query(
    'create table probe.parts (id int primary key); grant select, insert, delete on probe.parts to public',
  )
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
  const parts = {
    database: new Database(pool, 5250),
    clock: systemClock,
    fault_point: async () => {},
    listeners: [{ committed: (_: number, { id }: { id: string }) => void told.push(id) }],
    enqueue: async () => {},
  }
  ctx = systemCtx(parts, log, { kind: 'system', name: 'test' }).forBrand(1)
})
afterAll(() => pool?.end())
beforeEach(async () => {
  await server.sql('delete from probe.parts')
  told.length = 0
})

const add = statement<{ id: number }, unknown>((p) => sql`insert into probe.parts values (${p.id})`)
const refused = refusal(409, 'No')

/** Writes a row and announces it. */
async function write(ctx: BrandTx, id: number): Promise<void> {
  await ctx.db.run(add, { id })
  await ctx.announce([{ id: `${id}`, type: 'x.y', created_at: '', board_id: null, data: {} }])
}
const rows = async () =>
  (await server.sql<{ id: number }>('select id from probe.parts order by id')).map(({ id }) => id)
const refuse = (): never => {
  throw refused()
}

test('a part that is refused leaves no row and no event, and the rest of the transaction does', async () => {
  await ctx.tx(async (ctx) => {
    await write(ctx, 1)
    await expect(ctx.attempt((ctx) => write(ctx, 2).then(refuse))).rejects.toThrow('No')
    await ctx.attempt((ctx) => write(ctx, 3))
    await write(ctx, 4)
  })
  expect([await rows(), told]).toEqual([
    [1, 3, 4],
    ['1', '3', '4'],
  ])
})

test('a statement that failed is undone with its part when it is refused', async () => {
  const twice = (ctx: BrandTx) =>
    ctx.db.inOrder([write(ctx, 2), write(ctx, 1), write(ctx, 5)]).catch((): never => refuse())
  await ctx.tx(async (ctx) => {
    await write(ctx, 1)
    for (let n = 0; n < 3; n += 1) await expect(ctx.attempt(twice)).rejects.toThrow('No')
    await ctx.attempt((ctx) => write(ctx, 3))
  })
  expect([await rows(), told]).toEqual([
    [1, 3],
    ['1', '3'],
  ])
})

test('parts may hold parts', async () => {
  await ctx.tx((ctx) =>
    ctx.attempt(async (ctx) => {
      await write(ctx, 1)
      await expect(ctx.attempt((ctx) => write(ctx, 2).then(refuse))).rejects.toThrow('No')
      await write(ctx, 3)
    }),
  )
  expect([await rows(), told]).toEqual([
    [1, 3],
    ['1', '3'],
  ])
})

test('what is no refusal ends the whole transaction', async () => {
  const fault = ctx.tx(async (ctx) => {
    await write(ctx, 1)
    await ctx.attempt((ctx) => write(ctx, 1))
  })
  await expect(fault).rejects.toThrow('duplicate')
  expect([await rows(), told]).toEqual([[], []])
})
