import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { type PlanNode, planNodes } from '@crewhall/testkit/plan-nodes.ts'
import { readSeeded, type SeededBoards, seedBoards } from '@crewhall/testkit/seeded-boards.ts'
import { onlySentBy, type SentStatement } from '@crewhall/testkit/sent-statements.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import * as boards from './boards/boards.store.ts'
import * as known from './boards/known-boards.store.ts'
import * as cards from './card-data/cards.store.ts'
import * as walks from './cards/card-walk.store.ts'
import * as checklists from './checklists/checklists.store.ts'
import * as children from './children/children.store.ts'
import * as finished from './finished/finished-cards.store.ts'
import * as labels from './labels/labels.store.ts'
import * as master from './master/master.store.ts'
import * as stats from './stats/stats.store.ts'
import * as stream from './stream/stream.store.ts'
import * as sums from './sums/sums.store.ts'
import * as views from './views/views.store.ts'
import * as work from './work/work.store.ts'
import * as working from './working-now/working-now.store.ts'
import * as activity from './writes/activity.store.ts'

// The plans that Postgres makes for the reads of boards, as the role of the product and under row-level security,
// by the statements that stores really send. The database is small, and large enough that a plan without an
// index would be the cheaper one where an index is missing.

const sizes = { brands: 15, boards: 600, of_big: 40, big: 4000, cards: 24_000, entries: 60_000 }
const perPage = 50
const subTasks = 5

let database: TestDatabase
let client: pg.Client
let seeded: SeededBoards
let some: readonly string[]
let parent: string
let deep: walks.CardPlace
let entry: { created_at: string; id: string }
beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  await seedBoards(database.name, sizes)
  seeded = await readSeeded(database.name)
  await seedWork()
  client = await connect(database, 'application')
  await client.query(`select set_config('app.brand_id', $1, false)`, [String(seeded.brand_id)])
  const place = await client.query<typeof deep>(
    `select array(select left(b.id::text, 8) from boards.columns b
         where b.board_id = k.board_id and b.rank < k.rank) as done,
       k.id as column_id, c.rank as card_rank, c.id as card_id, k.ranks_version
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
  const ids = await client.query<{ id: string }>(
    'select id from boards.cards where brand_id = $1 and board_id = $2 order by id limit $3',
    [seeded.brand_id, seeded.big_board, perPage],
  )
  some = ids.rows.map(({ id }) => id)
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

/** A twentieth of all cards is worked on, and has sub-tasks and a checklist; each workspace has views and labels. */
async function seedWork(): Promise<void> {
  const admin = await connect(database, 'superuser')
  await admin.query(`update boards.cards set claim_id = gen_random_uuid(), claim_holder = created_by,
     claim_expires_at = platform.clock_now() + interval '1 hour' where number % 20 = 1`)
  await admin.query(`insert into boards.checklist_items (brand_id, card_id, text, place)
     select brand_id, id, 'Item ' || n, n from boards.cards, generate_series(1, 10) n where number % 20 = 1`)
  await admin.query(`insert into boards.relations (brand_id, card_id, kind, other_id)
     select p.brand_id, p.id, 'parent', c.id from boards.cards p join boards.cards c
       on c.brand_id = p.brand_id and c.board_id = p.board_id and c.number between p.number + 1 and p.number + ${subTasks}
     where p.number % 20 = 1`)
  await admin.query(`insert into boards.views (brand_id, person_id, name, is_shared, filters)
     select id, n % 20, 'View ' || n, n % 10 = 0, '{}' from identity.brands, generate_series(1, 300) n`)
  await admin.query(`insert into boards.labels (brand_id, board_id, name, is_kept)
     select brand_id, id, 'kept ' || n, true from boards.boards, generate_series(1, 10) n`)
  await admin.query(`vacuum analyze boards.cards, boards.checklist_items, boards.relations, boards.views,
     boards.labels`)
  const { rows } = await admin.query<{ id: string }>(
    'select id from boards.cards where board_id = $1 and number = 21',
    [seeded.big_board],
  )
  parent = rows[0]?.id ?? ''
  await admin.end()
}

const rowsOf = (node: PlanNode): number => node['Actual Rows'] * node['Actual Loops']

let prepared = 0
async function planOf(mode: string, { text, values }: SentStatement): Promise<PlanNode[]> {
  prepared += 1
  const name = `plan_${prepared}`
  await client.query(`set plan_cache_mode = ${mode}`)
  await client.query(`prepare ${name} as ${text}`)
  const given = values.map((value) =>
    value === null ? 'null' : client.escapeLiteral(Array.isArray(value) ? `{${value}}` : String(value)),
  )
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) execute ${name} (${given.join(', ')})`,
  )
  // Months that a page does not lie in are planned and never looked into.
  return planNodes(rows[0]?.['QUERY PLAN'][0].Plan as PlanNode).filter((node) => node['Actual Loops'] > 0)
}

interface Case {
  readonly name: string
  readonly sends: (ctx: BrandCtx) => unknown
  /** Cards that are read from the table. */
  readonly cards: number
  /** Rows that may go into a sort: the page, where nothing else is said. */
  readonly sorted?: number
  /** Never sent with a generic plan. */
  readonly is_custom?: true
}
const page = (n: number) => ({ board_id: seeded.big_board, offset: n * perPage, limit: perPage })
const walk = (after: typeof deep) => ({ board_id: seeded.big_board, after, limit: perPage })
const over = (filter: { status?: string; has_pr?: boolean; since?: string }) => ({
  board_ids: seeded.some_boards,
  board_type: null,
  name_keys: null,
  status: filter.status ?? null,
  has_pr: filter.has_pr ?? null,
  since: filter.since ?? null,
})
const slice = { limit: perPage, offset: 0 }
// Twenty boards of four columns, of each as many as the page can hold: ids only.
const merged = 20 * 4 * perPage
const details = [
  ['summary', cards.listSummaryCards, walks.listSummaryCardsAfter],
  ['standard', cards.listStandardCards, walks.listStandardCardsAfter],
  ['sizes of whole cards', cards.listSizedCards, walks.listSizedCardsAfter],
] as const

const anyWork = { board_ids: null, task_type: null, priorities: null, labels: null }
const cases: readonly Case[] = [
  ...details.flatMap(([detail, list, listAfter]): Case[] => [
    { name: `page 1, ${detail}`, sends: (ctx) => list(ctx, page(0)), cards: perPage },
    { name: `a deep page, ${detail}`, sends: (ctx) => list(ctx, page(30)), cards: perPage },
    {
      name: `cards from the start, ${detail}`,
      sends: (ctx) => listAfter(ctx, walk(walks.firstPlace)),
      cards: perPage,
    },
    {
      name: `cards after a cursor, ${detail}`,
      sends: (ctx) => listAfter(ctx, walk(deep)),
      cards: perPage,
      sorted: 2 * perPage,
    },
  ]),
  { name: 'whole cards by id', sends: (ctx) => cards.listFullCards(ctx, some), cards: perPage },
  {
    name: 'the next work of a workspace',
    sends: (ctx) => work.findWork(ctx as BrandTx, anyWork),
    cards: 1,
    sorted: 0,
    is_custom: true,
  },
  {
    name: 'a look at the next work',
    sends: (ctx) => work.findReady(ctx, perPage),
    cards: perPage,
    sorted: perPage,
  },
  {
    name: 'what is worked on in a workspace',
    sends: (ctx) => working.listWorking(ctx, { ...working.firstPlace, limit: perPage }),
    cards: perPage,
    sorted: 1,
  },
  ...[null, 'some' as const].map(
    (which): Case => ({
      name: `sums of ${which ?? 'all'} boards`,
      sends: (ctx) =>
        sums.listSums(ctx, {
          ...{ by_board: true, by_week: true, by_agent: true, by_person: true },
          ...{ from: '2026-01-05', to: '2026-12-28' },
          board_ids: which && seeded.some_boards,
          ...slice,
        }),
      cards: 0,
      // What the workspace has in these weeks; none of it are cards.
      sorted: 5000,
    }),
  ),
  { name: 'the labels of a board', sends: (ctx) => labels.listLabels(ctx, page(0)), cards: 0 },
  { name: 'the count of its labels', sends: (ctx) => labels.countLabels(ctx, seeded.big_board), cards: 0 },
  {
    name: 'the views of a member',
    sends: (ctx) => views.listViews(ctx, { person_id: 7, ...slice }),
    cards: 0,
    // All that a member has and a workspace shares, which is bounded.
    sorted: 45,
  },
  { name: 'the count of views', sends: (ctx) => views.countViews(ctx, 7), cards: 0 },
  { name: 'the sub-tasks of a card', sends: (ctx) => children.listChildCards(ctx, parent), cards: subTasks },
  { name: 'the checklist of a card', sends: (ctx) => checklists.listItems(ctx, parent), cards: 0 },
  { name: 'the board of a page', sends: (ctx) => boards.findBoard(ctx, seeded.big_board), cards: 0 },
  {
    name: 'newest activity',
    sends: (ctx) => activity.listNewestActivity(ctx, seeded.big_board, perPage),
    cards: 0,
    sorted: 0,
  },
  {
    name: 'activity after a cursor',
    sends: (ctx) => activity.listActivityAfter(ctx, { board_id: seeded.big_board, ...entry, limit: perPage }),
    cards: 0,
    sorted: 0,
  },
  {
    name: 'activity before a cursor',
    sends: (ctx) =>
      activity.listActivityBefore(ctx, { board_id: seeded.big_board, ...entry, limit: perPage }),
    cards: 0,
    sorted: 0,
  },
  ...Object.entries({ before: activity.listCardActivityBefore, after: activity.listCardActivityAfter }).map(
    ([where, read]): Case => ({
      name: `activity of a card ${where} a cursor`,
      sends: (ctx) => read(ctx, { board_id: seeded.big_board, card_id: parent, ...entry, limit: perPage }),
      cards: 0,
      sorted: 0,
    }),
  ),
  {
    name: 'a page of 20 boards',
    sends: (ctx) => master.listMasterCards(ctx, over({}), slice),
    cards: perPage,
    sorted: merged,
  },
  {
    name: 'a page of 20 boards by status',
    sends: (ctx) => master.listMasterCards(ctx, over({ status: 'done' }), slice),
    cards: perPage,
    sorted: merged / 4,
  },
  {
    name: 'a page of 20 boards with a pull request',
    sends: (ctx) => master.listMasterCards(ctx, over({ has_pr: true }), slice),
    cards: perPage,
    sorted: merged,
  },
  {
    name: 'a page of 20 boards since a time',
    sends: (ctx) => master.listMasterCards(ctx, over({ since: '2020-01-01T00:00:00Z' }), slice),
    cards: perPage,
    sorted: merged,
  },
  { name: 'the count of 20 boards', sends: (ctx) => master.countMasterCards(ctx, over({})), cards: 0 },
  {
    name: 'the count of 20 boards with a pull request',
    sends: (ctx) => master.countMasterCards(ctx, over({ has_pr: true })),
    cards: 0,
  },
  {
    name: 'where the feeds of 20 boards end',
    sends: (ctx) => stream.listBoardPlaces(ctx, seeded.some_boards),
    cards: 0,
    sorted: 20,
  },
  {
    name: 'the entries of 20 boards after their places',
    sends: (ctx) =>
      stream.listEntriesAfter(ctx, {
        board_ids: seeded.some_boards,
        created_ats: seeded.some_boards.map(() => '2020-01-01T00:00:00Z'),
        ids: seeded.some_boards.map(() => '0'),
        limit: perPage,
      }),
    cards: 0,
    sorted: 20 * perPage,
  },
  {
    name: 'which of 20 boards have changed',
    sends: (ctx) => stream.listLastActivity(ctx, seeded.some_boards),
    cards: 0,
  },
  ...[null, 'some' as const].map(
    (which): Case => ({
      name: `finished cards of ${which ?? 'all'} boards`,
      sends: (ctx) =>
        finished.listFinished(ctx, {
          completed_at: '2020-01-01T00:00:00Z',
          id: '00000000-0000-0000-0000-000000000000',
          until: '9999-01-01T00:00:00Z',
          board_ids: which && seeded.some_boards,
          walked: 200,
          limit: perPage,
        }),
      cards: 0,
      sorted: 200,
    }),
  ),
  {
    name: 'which boards are own ones',
    sends: (ctx) => known.countBoardsByIds(ctx, seeded.some_boards),
    cards: 0,
  },
]

describe.each(['force_generic_plan', 'force_custom_plan'])('with %s', (mode) => {
  const sent = cases.filter(({ is_custom }) => !is_custom || mode === 'force_custom_plan')
  test.each(sent)('$name is read by index only, and no more than it shows', async (each) => {
    const nodes = await planOf(mode, onlySentBy(seeded.brand_id, each.sends))
    expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
    const sorts = nodes.filter((node) => node['Node Type'].endsWith('Sort'))
    const sorted = Math.max(0, ...sorts.map((node) => rowsOf(node.Plans?.[0] as PlanNode)))
    expect(sorted).toBeLessThanOrEqual(each.sorted ?? perPage)
    const fetched = nodes
      .filter((node) => node['Relation Name'] === 'cards' && node['Node Type'] !== 'Index Only Scan')
      .reduce((sum, node) => sum + rowsOf(node), 0)
    expect(fetched).toBe(each.cards)
  })
})

test.each(['force_generic_plan', 'force_custom_plan'])(
  'the activity of a card is read by its own index and reads no entry of another card, with %s',
  async (mode) => {
    const page = { board_id: seeded.big_board, card_id: parent, ...activity.lastPlace, limit: perPage }
    const nodes = await planOf(
      mode,
      onlySentBy(seeded.brand_id, (ctx: BrandCtx) => activity.listCardActivityBefore(ctx, page)),
    )
    const scans = nodes.filter((node) => node['Relation Name']?.startsWith('activity_'))
    expect(scans.length).toBeGreaterThan(0)
    const { rows } = await client.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'boards.activity_card'::regclass`,
    )
    const own = rows.map(({ name }) => name.replace('boards.', ''))
    expect(scans.filter((node) => !own.includes(node['Index Name'] ?? ''))).toEqual([])
    expect(scans.reduce((sum, node) => sum + (node['Rows Removed by Filter'] ?? 0), 0)).toBe(0)
  },
)

test('the unpaged read of 20 boards fetches each of its cards once and sorts only those', async () => {
  const nodes = await planOf(
    'force_generic_plan',
    onlySentBy(seeded.brand_id, (ctx: BrandCtx) =>
      master.listAllMasterCards(ctx, over({ status: 'review' }), 10_001),
    ),
  )
  const found = rowsOf(nodes[0] as PlanNode)
  expect(found).toBeGreaterThan(0)
  expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
  // Postgres tells rows of a repeated step as a rounded mean.
  const [fetched, ...others] = nodes.filter((node) => node['Relation Name'] === 'cards')
  expect(others).toEqual([])
  expect(Math.abs(rowsOf(fetched as PlanNode) - found)).toBeLessThanOrEqual(20)
})

test.each(['force_generic_plan', 'force_custom_plan'])(
  'the statistics of a board are counted in indexes that hold only what they count, with %s',
  async (mode) => {
    const sent = onlySentBy(seeded.brand_id, (ctx: BrandCtx) => stats.countCards(ctx, seeded.big_board))
    const nodes = await planOf(mode, sent)
    expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
    const used = nodes.flatMap((node) => node['Index Name'] ?? [])
    // Where most of a workspace is on one board, both indexes of done cards cost the same.
    const done = used.includes('cards_finished') ? 'cards_finished' : 'cards_done'
    expect(used.sort()).toEqual(['cards_blocked', 'cards_claimed', done])
  },
)
