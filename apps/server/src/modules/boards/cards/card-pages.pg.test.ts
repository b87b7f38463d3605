import { readFileSync } from 'node:fs'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'

// The plans that Postgres makes for pages of a large board, under row-level security, by what stores really send.

let database: TestDatabase
let client: pg.Client
let place: { brand_id: number; id: string }
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const owner = new pg.Client(database.owner_url)
  client = new pg.Client(database.url)
  await Promise.all([owner.connect(), client.connect()])
  await owner.query(`select set_config('app.system', 'on', false)`)
  await owner.query(`
    insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}');
    insert into boards.boards (brand_id, key, name, board_type) select id, 'CORE', 'B', 'kanban' from identity.brands;
    insert into boards.columns (brand_id, board_id, name, name_key, status, rank, card_count)
    select brand_id, id, 'To do', 'to do', 'pending', 'a0', 20000 from boards.boards;
    insert into boards.cards (brand_id, board_id, number, column_id, rank, title, status, task_type, reporter, created_by, updated_by)
    select brand_id, board_id, n, id, lpad(n::text, 8, '0'), repeat('x', 80), 'pending', 'coding', '{}', '{}', '{}'
    from boards.columns, generate_series(1, 20000) as n;
    insert into boards.card_texts (brand_id, card_id) select brand_id, id from boards.cards`)
  await owner.query('vacuum analyze boards.cards, boards.columns, boards.card_texts')
  const { rows } = await owner.query<typeof place>('select brand_id, id from boards.boards')
  place = rows[0] ?? { brand_id: 0, id: '' }
  await owner.end()
  await client.query(`select set_config('app.brand_id', $1, false)`, [String(place.brand_id)])
  await client.query('set plan_cache_mode = force_generic_plan')
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const pages = readFileSync(new URL('./queries.sql', import.meta.url), 'utf8')
  .split(/;\n/)
  .filter((statement) => statement.includes('cross join lateral'))

test('there is a statement for each of the three details', () => expect(pages).toHaveLength(3))

test.each([
  [0, 0],
  [0, 15_000],
  [1, 15_000],
  [2, 15_000],
])(
  'a page (statement %i, offset %i) reads cards by index only, and as many rows as it shows',
  async (at, offset) => {
    const name = `page_${at}_${offset}`
    await client.query(`prepare ${name} as ${pages[at]?.replace(/^--.*$/gm, '')}`)
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, timing off, costs off) execute ${name} (${place.brand_id}, '${place.id}', ${offset}, 100)`,
    )
    const plan = rows.map((row) => row['QUERY PLAN'])
    expect(plan.filter((line) => /Seq Scan on card/.test(line))).toEqual([])
    expect(plan.filter((line) => /Index Only Scan using cards_place/.test(line))).toHaveLength(1)
    const fetched = plan.filter((line) => /Index Scan using cards_pkey/.test(line))
    expect(fetched).toHaveLength(1)
    expect(fetched[0]).toMatch(/loops=100\b/)
  },
)
