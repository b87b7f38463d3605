import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { type PlanNode, planNodes } from '@crewhall/testkit/plan-nodes.ts'
import { onlySentBy, type SentStatement } from '@crewhall/testkit/sent-statements.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import * as entries from './entries/entries.store.ts'
import * as lookup from './lookup/lookup.store.ts'
import * as near from './near/near.store.ts'
import * as search from './search/search.store.ts'
import * as similar from './similar/similar.store.ts'

// A workspace with lessons on a tree of 200 folders with 20 files each, beside one that has more, as the role of the product
// and under row-level security. Node 1 is the root, then each folder comes before its files. What is judged is which index
// is read, and how many lessons.

const sizes = { lessons: 4000, others: 20_000, per_folder: 20 }
const dimension = 16
const vector = `[${Array(dimension).fill(0.25)}]`
let database: TestDatabase
let admin: pg.Client
let client: pg.Client
let brand_id: number
let project_id: string

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  admin = await connect(database, 'superuser')
  await fill('Other', sizes.others)
  ;[brand_id, project_id] = await fill('A', sizes.lessons)
  await admin.query('vacuum analyze lessons.lessons, lessons.anchors, lessons.anchor_ups, lessons.vectors')
  client = await connect(database, 'application')
  await client.query(`select set_config('app.brand_id', $1, false)`, [String(brand_id)])
})
afterAll(async () => {
  await client.end()
  await admin.end()
  await database.drop()
})

async function fill(name: string, lessons: number): Promise<[number, string]> {
  const { rows: brands } = await admin.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ($1, 'free', '{}') returning id`,
    [name],
  )
  const brand = brands[0]?.id ?? 0
  const { rows: projects } = await admin.query<{ id: string }>(
    `insert into code_index.projects (brand_id, id, name) values ($1, gen_random_uuid(), 'P') returning id`,
    [brand],
  )
  const project = projects[0]?.id ?? ''
  await admin.query('set session_replication_role = replica')
  await admin.query(
    `insert into lessons.lessons (brand_id, id, project_id, slug, type, title, body, is_pinned, is_retired, origin,
       file_digest, file_text, stale_in)
     select $1, gen_random_uuid(), $2, 'area' || n % 50 || '/n' || n, 'rule', 'T', repeat('body ', 50), n % 100 = 0, false,
       'repository', '', '', case when n % 40 = 0 then 'c' end from generate_series(1, $3::int) n`,
    [brand, project, lessons],
  )
  await admin.query(
    `insert into lessons.anchors (brand_id, lesson_id, position, project_id, raw_text, path, symbol, is_folder, nid)
     select brand_id, id, 0, project_id, '', 'd' || at / ${sizes.per_folder} || '/f' || at % ${sizes.per_folder}, '', false,
       3 + at + at / ${sizes.per_folder}
     from (select *, (row_number() over (order by slug) - 1)::int as at from lessons.lessons where brand_id = $1) l`,
    [brand],
  )
  await admin.query(
    `insert into lessons.anchor_ups (brand_id, lesson_id, nid, dist, is_pinned, created_at)
     select a.brand_id, a.lesson_id, u.nid, u.dist, l.is_pinned, l.created_at
     from lessons.anchors a join lessons.lessons l on l.brand_id = a.brand_id and l.id = a.lesson_id
     cross join lateral (values (a.nid, 0), (2 + (a.nid - 2) / 21 * 21, 1), (1, 2)) u (nid, dist) where a.brand_id = $1`,
    [brand],
  )
  await admin.query(
    `insert into lessons.vectors (brand_id, lesson_id, model, dimension, text_hash, vector)
     select brand_id, id, 'model', $2, '', $3::halfvec from lessons.lessons where brand_id = $1`,
    [brand, dimension, vector],
  )
  await admin.query('reset session_replication_role')
  return [brand, project]
}

async function planOf(mode: string, { text, values }: SentStatement): Promise<PlanNode[]> {
  const name = `plan_${Math.random().toString(36).slice(2)}`
  await client.query(`set plan_cache_mode = ${mode}`)
  await client.query(`prepare ${name} as ${text}`)
  const literal = (value: unknown) =>
    value === null ? 'null' : client.escapeLiteral(Array.isArray(value) ? `{${value}}` : String(value))
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) execute ${name} (${values.map(literal).join(', ')})`,
  )
  return planNodes(rows[0]?.['QUERY PLAN'][0].Plan as PlanNode).filter((node) => node['Actual Loops'] > 0)
}
const planned = (sends: (ctx: BrandCtx) => unknown) =>
  planOf('force_custom_plan', onlySentBy(brand_id, sends))
const generic = (sends: (ctx: BrandCtx) => unknown) =>
  planOf('force_generic_plan', onlySentBy(brand_id, sends))
const readWhole = (nodes: readonly PlanNode[]) =>
  nodes.flatMap((node) => (node['Node Type'].includes('Seq Scan') ? [node['Relation Name']] : []))
const rowsOf = (nodes: readonly PlanNode[], table: string): number =>
  nodes
    .filter((node) => node['Relation Name'] === table)
    .reduce(
      (sum, node) =>
        sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    )
const indexesOf = (nodes: readonly PlanNode[]) => nodes.flatMap((node) => node['Index Name'] ?? [])

const reached = Array.from({ length: 1000 }, (_, n) => n + 1)

test('near reads what is on the nodes that were reached, and nothing below the folders among them', async () => {
  // The start is a file; the root and 47 folders are reached.
  const [first, second] = [3, 1]
  const nids = [first, second, ...reached.filter((nid) => nid !== first && nid !== second)]
  const nodes = await generic((ctx) =>
    near.listNear(ctx, { nids, hops: nids.map((_, at) => Math.min(at, 3)), limit: 21 }),
  )
  expect(readWhole(nodes)).toEqual([])
  expect(indexesOf(nodes)).toEqual(expect.arrayContaining(['anchors_of_node', 'anchor_ups_of_node']))
  expect(rowsOf(nodes, 'anchor_ups')).toBe(1)
  expect(rowsOf(nodes, 'anchors')).toBeGreaterThan(900)
  expect(rowsOf(nodes, 'anchors')).toBeLessThan(1000)
})

test('a lookup of 1,000 nodes with the root reads their part of the closure and five lessons of each', async () => {
  const counted = await generic((ctx) => lookup.listCounted(ctx, 'subtree', reached, 5))
  expect(readWhole(counted)).toEqual([])
  // Each row of a node to count it, and five of them once more.
  expect(rowsOf(counted, 'anchor_ups')).toBeLessThan(sizes.lessons + 2 * reached.length + 5 * reached.length)
  expect(rowsOf(counted, 'lessons')).toBe(0)
  expect(indexesOf(counted)).toContain('anchor_ups_of_node')
  const exact = await generic((ctx) => lookup.listCounted(ctx, 'exact', reached, 5))
  expect(indexesOf(exact)).toContain('anchor_ups_exact')
  const { rows } = await client.query<{ id: string }>('select id from lessons.lessons limit 1000')
  const ids = rows.map(({ id }) => id)
  const shown = await generic((ctx) => lookup.listBriefs(ctx, ids))
  expect(readWhole(shown)).toEqual([])
  expect(rowsOf(shown, 'lessons')).toBe(ids.length)
})

const of = { project_id: null, type: null, area: null, words: [], limit: 20 }

test('a search reads the lessons of its place and of the folders around it', async () => {
  const place = { path: 'd7/f3', symbol: '', is_folder: false, folders: ['d7'] }
  const nodes = await planned((ctx) => search.listByAnchor(ctx, { ...of, ...place, is_stale: null }))
  expect(readWhole(nodes)).toEqual([])
  expect(indexesOf(nodes)).toContain('anchors_of_place')
  expect(rowsOf(nodes, 'lessons')).toBeLessThan(20)
})

test('stale lessons are read from their own index', async () => {
  const all = await planned((ctx) => search.listStale(ctx, { ...of, project_id }))
  expect(readWhole(all)).toEqual([])
  expect(indexesOf(all)).toContain('lessons_stale')
  const byArea = await generic((ctx) => entries.listStale(ctx, project_id, { areas: 200, of_area: 10 }))
  expect(indexesOf(byArea)).toContain('lessons_stale')
  expect(rowsOf(byArea, 'lessons')).toBeLessThanOrEqual(sizes.lessons / 40)
})

test('a page of lessons reads its rows from the index', async () => {
  const at = {
    status: 'live',
    type: null,
    area: null,
    is_stale: null,
    after_area: 'area3',
    after_slug: '',
  } as const
  const nodes = await planned((ctx) => entries.listEntries(ctx, { project_id, ...at, limit: 51 }))
  expect(indexesOf(nodes)).toContain('lessons_live')
  expect(rowsOf(nodes, 'lessons')).toBeLessThanOrEqual(51)
})

test('a comparison reads the vectors of the workspace, and no others', async () => {
  const asked = { model: 'model', dimension, type: null, vector, k: 3, threshold: 0.9 }
  for (const nodes of [
    await planned((ctx) => similar.compareAll(ctx, asked)),
    await planned((ctx) => similar.countCompared(ctx, asked)),
  ]) {
    expect(readWhole(nodes).filter((table) => table !== 'vector_queue')).toEqual([])
    expect(rowsOf(nodes, 'vectors')).toBeLessThanOrEqual(sizes.lessons)
  }
})
