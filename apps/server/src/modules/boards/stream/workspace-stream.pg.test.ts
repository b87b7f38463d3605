import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { executedPartitions } from '@crewhall/testkit/partitions.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Look } from './workspace-place.rules.ts'
import { listWindow, listWindowByBoard, takeLook, type Window } from './workspace-stream.store.ts'

let database: TestDatabase
let client: pg.Client
let brand: number
let boards: string[]
const opened: pg.Client[] = []

async function open(): Promise<pg.Client> {
  const made = await connect(database, 'application')
  await made.query(`select set_config('app.system', 'on', false)`)
  opened.push(made)
  return made
}

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  client = await open()
  const { rows } = await client.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}') returning id`,
  )
  brand = rows[0]?.id ?? 0
  const made = await client.query<{ id: string }>(
    `insert into boards.boards (brand_id, id, key, name, board_type)
     select $1, gen_random_uuid(), 'B' || chr(64 + n), 'Board', 'kanban' from generate_series(1, 3) n returning id`,
    [brand],
  )
  boards = made.rows.map(({ id }) => id)
})
afterAll(async () => {
  for (const each of opened) await each.end()
  await database.drop()
})

const statements: { name: string; sql: string; values: unknown[] }[] = []
/** The statements of the store, on a connection of the test; timestamps stay text as in the product. */
const ctx = (): BrandCtx => {
  const run = async (
    statement: { name: string; sql: string; bind(params: never, brandId: number): unknown[] },
    params: never,
  ) => {
    const values = statement.bind(params, brand)
    statements.push({ name: statement.name, sql: statement.sql, values })
    const types = { getTypeParser: () => (text: string) => text }
    return (await client.query({ text: statement.sql, values, types: types as never })).rows
  }
  const db = {
    all: run,
    first: async (...args: Parameters<typeof run>) => (await run(...args))[0],
  } as unknown as BrandCtx['db']
  return { brandId: brand, db } as BrandCtx
}

const write = (by: pg.Client, board: string | undefined, n = 1) =>
  by.query<{ id: string }>(
    `insert into boards.activity (brand_id, board_id, created_at, action, actor, data)
     select $1, $2, platform.clock_now(), 'task.moved', '{}', '{}' from generate_series(1, $3::int) returning id::text`,
    [brand, board, n],
  )
const beginning = { created_at: '1970-01-01T00:00:00Z', id: '0' }
const between = (from: Look, upto: Look, more: Partial<Window> = {}): Window => ({
  from,
  upto,
  after: beginning,
  limit: 100,
  ...more,
})
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => String(id))

test('E1: an entry whose transaction commits late is in the window of the first look that can see it, and in no other', async () => {
  const [slow, quick] = [await open(), await open()]
  const first = await takeLook(ctx())
  await slow.query('begin')
  const late = idsOf((await write(slow, boards[0])).rows)
  const early = idsOf((await write(quick, boards[1])).rows)
  const second = await takeLook(ctx())
  await slow.query('commit')
  const third = await takeLook(ctx())
  const reads = [
    listWindow,
    async (...args: Parameters<typeof listWindow>) => ({ rows: await listWindowByBoard(...args) }),
  ]
  await client.query('update boards.boards set last_activity_at = platform.clock_now()')
  for (const read of reads) {
    expect(idsOf((await read(ctx(), between(first, second))).rows)).toEqual(early)
    expect(idsOf((await read(ctx(), between(second, third))).rows)).toEqual(late)
    expect(idsOf((await read(ctx(), between(third, third))).rows)).toEqual([])
    expect(idsOf((await read(ctx(), between(first, third))).rows)).toEqual([...late, ...early])
  }
})

test('E1: a page in the middle of a window goes on after the last entry, with few and with many', async () => {
  const first = await takeLook(ctx())
  for (const board of boards) await write(client, board, 900)
  await client.query('update boards.boards set last_activity_at = platform.clock_now()')
  const second = await takeLook(ctx())
  const whole = await listWindow(ctx(), between(first, second))
  expect([whole.is_whole, whole.rows.length]).toEqual([false, 100])
  const seen: string[] = []
  for (let after: Window['after'] = beginning, isOver = false; !isOver; ) {
    const window = between(first, second, { after, limit: 500 })
    const found = await listWindow(ctx(), window)
    const rows = found.is_whole ? found.rows : await listWindowByBoard(ctx(), window)
    seen.push(...idsOf(rows))
    const last = rows.at(-1)
    if (last) after = { created_at: last.created_at, id: String(last.id) }
    isOver = rows.length < 500
  }
  const { rows } = await client.query<{ id: string }>(
    'select id::text from boards.activity order by created_at desc, id desc limit 2700',
  )
  expect(seen).toEqual(idsOf(rows).reverse())
})

test('E1: a window opens the months around it, by the index of transactions', async () => {
  const first = await takeLook(ctx())
  await write(client, boards[0])
  const second = await takeLook(ctx())
  statements.length = 0
  await listWindow(ctx(), between(first, second))
  const [statement] = statements
  if (!statement) throw new Error('nothing was asked')
  const owner = await connect(database, 'owner')
  await owner.query('analyze boards.activity')
  await owner.end()
  await client.query(`select set_config('app.system', '', false), set_config('app.brand_id', $1, false)`, [
    String(brand),
  ])
  await client.query('set plan_cache_mode = force_generic_plan')
  const partitions = await executedPartitions(client, 'activity', statement, statement.values)
  // This month and what is to come; a day earlier lies at most one month before.
  expect(partitions.length).toBeLessThanOrEqual(6)
  await client.query(`prepare window_plan as ${statement.sql}`)
  const literals = statement.values.map((value) => client.escapeLiteral(String(value))).join(', ')
  const plan = await client.query<Record<string, string>>(`explain execute window_plan (${literals})`)
  const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(text).toMatch(/Index (Only )?Scan using \S*written_in/)
  expect(text).toMatch(/Index Cond: .*written_in/)
})
