import { readFileSync } from 'node:fs'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { readSeeded, type SeededBoards, seedBoards } from '@crewhall/testkit/seeded-boards.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

// The plans that Postgres makes for the reads of boards, as the role of the product and under row-level security,
// by the statements that stores really send. The database is small, and large enough that a plan without an
// index would be the cheaper one where an index is missing.

const sizes = { brands: 15, boards: 600, big: 4000, cards: 24_000, entries: 60_000 }
const perPage = 50

let database: TestDatabase
let client: pg.Client
let seeded: SeededBoards
let deep: { done: readonly string[]; column_id: string; card_rank: string; card_id: string }
let entry: { created_at: string; id: string }
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  await seedBoards(database.name, sizes)
  seeded = await readSeeded(database.name)
  client = new pg.Client(database.url)
  await client.connect()
  await client.query(`select set_config('app.brand_id', $1, false)`, [String(seeded.brand_id)])
  const place = await client.query<typeof deep>(
    `select array(select left(b.id::text, 8) from boards.columns b
         where b.board_id = k.board_id and b.rank < k.rank) as done,
       k.id as column_id, c.rank as card_rank, c.id as card_id
     from boards.columns k join boards.cards c on c.column_id = k.id and c.brand_id = k.brand_id
     where k.board_id = $1 order by k.rank, c.rank offset 1500 limit 1`,
    [seeded.big_board],
  )
  const middle = await client.query<typeof entry>(
    `select created_at::text, id::text from boards.activity where brand_id = $1 and board_id = $2
     order by created_at, activity.id offset 1000 limit 1`,
    [seeded.brand_id, seeded.big_board],
  )
  ;[deep] = place.rows as [typeof deep]
  ;[entry] = middle.rows as [typeof entry]
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const sentBy = (folder: string) =>
  readFileSync(new URL(`./${folder}/queries.sql`, import.meta.url), 'utf8')
    .split(/;\n/)
    .map((text) => text.replace(/^--.*$/gm, '').trim())
const only = (folder: string, part: string, at = 0) =>
  sentBy(folder).filter((text) => text.includes(part))[at] ?? ''

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly Plans?: readonly Node[]
}
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
const rowsOf = (node: Node): number => node['Actual Rows'] * node['Actual Loops']

let prepared = 0
async function planOf(mode: string, text: string, values: readonly unknown[]): Promise<Node[]> {
  prepared += 1
  const name = `plan_${prepared}`
  await client.query(`set plan_cache_mode = ${mode}`)
  await client.query(`prepare ${name} as ${text}`)
  const given = values.map((value) =>
    value === null ? 'null' : client.escapeLiteral(Array.isArray(value) ? `{${value}}` : String(value)),
  )
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    `explain (analyze, timing off, format json) execute ${name} (${given.join(', ')})`,
  )
  // Months that a page does not lie in are planned and never looked into.
  return nodesOf(rows[0]?.['QUERY PLAN'][0].Plan as Node).filter((node) => node['Actual Loops'] > 0)
}

interface Case {
  readonly name: string
  readonly text: string
  readonly values: () => readonly unknown[]
  /** Cards that are read from the table. */
  readonly cards: number
  /** Rows that may go into a sort: the page, where nothing else is said. */
  readonly sorted?: number
}
const board = () => [seeded.brand_id, seeded.big_board]
const walked = (from: typeof deep) => [
  ...board(),
  from.done,
  from.column_id,
  from.card_rank,
  from.card_id,
  perPage,
]
const least = '00000000-0000-0000-0000-000000000000'
const start = { done: [], column_id: least, card_rank: '', card_id: least }
const details = ['summary', 'standard', 'full']
const over = (status: string | null, has_pr: boolean | null, since: string | null) => () => [
  ...[seeded.brand_id, seeded.some_boards, null, null, status, has_pr, since],
]
const pageOf = (filter: () => readonly unknown[]) => () => [...filter(), perPage, perPage, 0]
const master = only('master', 'with place as')
// Twenty boards of four columns, of each as many as the page can hold: ids only.
const merged = 20 * 4 * perPage

const cases: readonly Case[] = [
  ...details.flatMap((detail, at) => [
    {
      name: `page 1, ${detail}`,
      text: only('cards', 'offset greatest', at),
      values: () => [...board(), 0, perPage],
      cards: perPage,
    },
    {
      name: `a deep page, ${detail}`,
      text: only('cards', 'offset greatest', at),
      values: () => [...board(), 30 * perPage, perPage],
      cards: perPage,
    },
    {
      name: `cards from the start, ${detail}`,
      text: only('cards', 'is_first', at),
      values: () => walked(start),
      cards: perPage,
    },
    {
      name: `cards after a cursor, ${detail}`,
      text: only('cards', 'is_first', at),
      values: () => walked(deep),
      cards: perPage,
      sorted: 2 * perPage,
    },
  ]),
  {
    name: 'the board of a page',
    text: only('boards', 'from boards.boards where brand_id = $1 and id = $2'),
    values: board,
    cards: 0,
  },
  {
    name: 'newest activity',
    text: only('activity', 'order by created_at desc'),
    values: () => [...board(), perPage],
    cards: 0,
    sorted: 0,
  },
  {
    name: 'activity after a cursor',
    text: only('activity', '(created_at, activity.id) >'),
    values: () => [...board(), entry.created_at, entry.id, perPage],
    cards: 0,
    sorted: 0,
  },
  {
    name: 'a page of 20 boards',
    text: master,
    values: pageOf(over(null, null, null)),
    cards: perPage,
    sorted: merged,
  },
  {
    name: 'a page of 20 boards by status',
    text: master,
    values: pageOf(over('done', null, null)),
    cards: perPage,
    sorted: merged / 4,
  },
  {
    name: 'a page of 20 boards with a pull request',
    text: master,
    values: pageOf(over(null, true, null)),
    cards: perPage,
    sorted: merged,
  },
  {
    name: 'a page of 20 boards since a time',
    text: master,
    values: pageOf(over(null, null, '2020-01-01T00:00:00Z')),
    cards: perPage,
    sorted: merged,
  },
  {
    name: 'the count of 20 boards',
    text: only('master', 'sum(k.card_count)'),
    values: () => over(null, null, null)().slice(0, 5),
    cards: 0,
  },
  {
    name: 'the count of 20 boards with a pull request',
    text: only('master', 'sum(c.found)'),
    values: over(null, true, null),
    cards: 0,
  },
  {
    name: 'where the feeds of 20 boards end',
    text: only('stream', 'left join lateral'),
    values: () => [seeded.brand_id, seeded.some_boards],
    cards: 0,
    sorted: 20,
  },
  {
    name: 'the entries of 20 boards after their places',
    text: only('stream', 'cross join lateral'),
    values: () => [
      ...[seeded.brand_id, seeded.some_boards],
      ...[seeded.some_boards.map(() => '2020-01-01T00:00:00Z'), seeded.some_boards.map(() => '0')],
      perPage,
    ],
    cards: 0,
    sorted: 20 * perPage,
  },
  {
    name: 'which of 20 boards have changed',
    text: only('stream', 'select id as board_id, last_activity_at'),
    values: () => [seeded.brand_id, seeded.some_boards],
    cards: 0,
  },
  {
    name: 'which boards are own ones',
    text: only('boards', 'from boards.boards where brand_id = $1 and id = any'),
    values: () => [seeded.brand_id, seeded.some_boards],
    cards: 0,
  },
]

describe.each(['force_generic_plan', 'force_custom_plan'])('with %s', (mode) => {
  test.each(cases)('$name is read by index only, and no more than it shows', async (each) => {
    expect(each.text).not.toBe('')
    const nodes = await planOf(mode, each.text, each.values())
    expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
    const sorts = nodes.filter((node) => node['Node Type'].endsWith('Sort'))
    const sorted = Math.max(0, ...sorts.map((node) => rowsOf(node.Plans?.[0] as Node)))
    expect(sorted).toBeLessThanOrEqual(each.sorted ?? perPage)
    const fetched = nodes
      .filter((node) => node['Relation Name'] === 'cards' && node['Node Type'] !== 'Index Only Scan')
      .reduce((sum, node) => sum + rowsOf(node), 0)
    expect(fetched).toBe(each.cards)
  })
})

test('the unpaged read of 20 boards fetches each of its cards once and sorts only those', async () => {
  const nodes = await planOf('force_generic_plan', only('master', 'select b.key'), [
    ...over('review', null, null)(),
    10_001,
  ])
  const found = rowsOf(nodes[0] as Node)
  expect(found).toBeGreaterThan(0)
  expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
  // Postgres tells rows of a repeated step as a rounded mean.
  const [fetched, ...others] = nodes.filter((node) => node['Relation Name'] === 'cards')
  expect(others).toEqual([])
  expect(Math.abs(rowsOf(fetched as Node) - found)).toBeLessThanOrEqual(20)
})
