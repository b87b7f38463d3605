import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { executedPartitions, setDatabaseClock } from '@crewhall/testkit/partitions.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { clientTypes } from '#platform/db/pool.ts'
import type { BrandStatement } from '#platform/db/statement.ts'
import { listEntriesAfter } from '../stream/stream.store.ts'
import {
  type ActivityRow,
  insertActivity,
  listActivityAfter,
  listActivityBefore,
  listNewestActivity,
} from '../writes/activity.store.ts'

// Into how many months Postgres really looks for a page of the feed and of the stream.

const months = 12
const quietMonths = 6
let database: TestDatabase
let client: pg.Client
let brandId: number
/** One with two entries in each month, and one that has been quiet for half a year. */
let busy: string
let quiet: string
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  client = new pg.Client({ connectionString: database.url, types: clientTypes })
  await client.connect()
  await client.query(`select set_config('app.system', 'on', false), set_config('TimeZone', 'UTC', false)`)
  const brand = await client.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}') returning id`,
  )
  brandId = brand.rows[0]?.id ?? 0
  const boards = await client.query<{ id: string }>(
    `insert into boards.boards (brand_id, key, name, board_type) values ($1, 'BUSY', 'Busy', 'kanban'),
       ($1, 'QUIET', 'Quiet', 'kanban') returning id`,
    [brandId],
  )
  ;[busy = '', quiet = ''] = boards.rows.map(({ id }) => id)
  for (let month = 0; month < months; month += 1) {
    await setDatabaseClock(database.name, `${month} months`)
    const active = month < months - quietMonths ? [busy, quiet] : [busy]
    for (const board_id of [...active, ...active]) await insertActivity(ctx as BrandTx, entryOf(board_id))
    await client.query('select boards.roll_activity(0)')
  }
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const entryOf = (board_id: string) => ({
  board_id,
  action: 'card_updated',
  card_id: null,
  actor: { kind: 'member', id: '1', name: 'A' } as never,
  data: {},
})

type Run = (statement: BrandStatement<unknown, unknown>, params: unknown) => Promise<unknown[]>
const ctxOf = (all: Run) =>
  ({
    brandId,
    db: { all, first: async (...args: Parameters<Run>) => (await all(...args))[0] },
  }) as unknown as BrandCtx
const ctx = {
  get brandId() {
    return brandId
  },
  get db() {
    return ctxOf(
      async (statement, params) => (await client.query(statement.sql, statement.bind(params, brandId))).rows,
    ).db
  },
} as unknown as BrandCtx

async function looked(read: (ctx: BrandCtx) => Promise<unknown>): Promise<number> {
  let found: string[] = []
  await read(
    ctxOf(async (statement, params) => {
      found = await executedPartitions(client, 'activity', statement, statement.bind(params, brandId))
      return []
    }),
  )
  return found.length
}

test.each(['force_generic_plan', 'force_custom_plan'])(
  'K12: a page of the feed that lies in two months looks into two partitions, with %s',
  async (mode) => {
    await client.query(`set plan_cache_mode = ${mode}`)
    const newest = (board_id: string, limit: number) =>
      looked((ctx) => listNewestActivity(ctx, board_id, limit))
    const entries = (await listNewestActivity(ctx, busy, 100)).toReversed()
    expect(entries).toHaveLength(2 * months)
    const behind = (n: number, limit: number) => {
      const { created_at, id } = entries.at(n) as ActivityRow
      return {
        feed: looked((ctx) => listActivityAfter(ctx, { board_id: busy, created_at, id, limit })),
        back: () => looked((ctx) => listActivityBefore(ctx, { board_id: busy, created_at, id, limit })),
        stream: () =>
          looked((ctx) =>
            listEntriesAfter(ctx, { board_ids: [busy], created_ats: [created_at], ids: [id], limit }),
          ),
      }
    }
    // The newest month alone, then two, then three; and the same where half a year of months lies above.
    for (const board of [busy, quiet])
      expect([await newest(board, 2), await newest(board, 3), await newest(board, 5)]).toEqual([1, 2, 3])
    // Behind the first entry of a month: the other of that month, and one or both of the next.
    for (const [n, limit, expected] of [
      [4, 1, 1],
      [4, 2, 2],
      [4, 3, 2],
      [4, 4, 3],
      [-2, 50, 1],
      [-4, 50, 2],
    ] as const) {
      const { feed, stream } = behind(n, limit)
      expect([n, limit, await feed, await stream()]).toEqual([n, limit, expected, expected])
    }
    // Before the second entry of a month: the other of that month, and one or both of the month before.
    for (const [n, limit, expected] of [
      [5, 1, 1],
      [5, 2, 2],
      [5, 3, 2],
      [5, 4, 3],
    ] as const)
      expect([n, limit, await behind(n, limit).back()]).toEqual([n, limit, expected])
  },
)
