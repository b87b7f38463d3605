import { type PlanNode, planNodes } from '@crewhall/testkit/plan-nodes.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ReadOn } from '#platform/ctx/read-on.ts'
import { CodeIndexBed } from '../../../../test/code-index-bed.ts'
import { recorded, type SentStatement } from '../../../../test/walks/recorded-walk.ts'
import { walkCases } from '../../../../test/walks/walk-cases.ts'
import { makeWideGraph, startsIn, type WideGraph } from '../../../../test/walks/wide-graph.ts'
import { findNear } from './near.service.ts'

// Times are judged by `npm run bench -- lessons`, on a million nodes.

let bed: CodeIndexBed
let client: pg.Client
let graph: WideGraph
beforeAll(async () => {
  bed = await CodeIndexBed.open()
  graph = await makeWideGraph(bed.admin, 20_000)
  await fill(graph)
  client = await connect(bed.database, 'application')
  await client.query(`select set_config('app.brand_id', $1, false)`, [String(graph.brand_id)])
})
afterAll(async () => {
  await client.end()
  await bed.close()
})

/** A lesson on every tenth node. */
async function fill({ brand_id, project_id }: WideGraph): Promise<void> {
  const of = [brand_id, project_id]
  await bed.admin.query(
    `insert into code_index.repositories (brand_id, project_id, url, generation)
     values ($1, $2, 'https://git.example/a.git', 1)`,
    of,
  )
  await bed.admin.query(
    'insert into lessons.states (brand_id, project_id, index_version) values ($1, $2, 1)',
    of,
  )
  await bed.admin.query(
    `insert into lessons.lessons (brand_id, id, project_id, slug, type, title, body, is_pinned, is_retired, origin,
       file_digest, file_text)
     select $1, gen_random_uuid(), $2, 'a/n' || nid, 'rule', 'T', repeat('body ', 50), nid % 100 = 0, false, 'repository',
       nid, ''
     from code_index.nodes where brand_id = $1 and nid % 10 = 3`,
    of,
  )
  await bed.admin.query(
    `insert into lessons.anchors (brand_id, lesson_id, position, project_id, raw_text, path, symbol, is_folder, nid)
     select l.brand_id, l.id, 0, l.project_id, '', n.path || 'x', n.symbol, n.kind = 0, n.nid
     from lessons.lessons l join code_index.nodes n on n.brand_id = l.brand_id and n.nid = l.file_digest::int
     where l.brand_id = $1`,
    [brand_id],
  )
  await bed.admin.query(
    `insert into lessons.anchor_ups (brand_id, lesson_id, nid, dist, is_pinned, created_at)
     select l.brand_id, l.id, u.nid, u.dist, l.is_pinned, l.created_at
     from lessons.lessons l cross join lateral lessons.true_ups(l.brand_id, l.id) u where l.brand_id = $1`,
    [brand_id],
  )
  await bed.admin.query('vacuum analyze lessons.lessons, lessons.anchors, lessons.anchor_ups')
}

/** What one call of near sends; begin, the entry into the workspace and commit not counted. */
async function sentBy(query: Partial<Parameters<typeof findNear>[2]>): Promise<{
  sent: readonly SentStatement[]
  reached: number
}> {
  const { ctx, sent } = recorded(bed.in(graph.brand_id))
  const on: ReadOn = (_, read) => read(ctx)
  const asked = { depth: 2, direction: 'both', hub_cap: 25, limit: 20 } as const
  const near = await findNear(
    ctx,
    { memory: on, code_index: on },
    {
      project_id: graph.project_id,
      paths: [],
      node_ids: [],
      ...asked,
      kinds: ['import', 'contains'],
      ...query,
    },
  )
  expect(near.degraded).toBe(null)
  expect(near.entries.length).toBeGreaterThan(0)
  return { sent, reached: near.reached_nodes }
}

async function planOf({ text, values }: SentStatement): Promise<PlanNode[]> {
  const name = `plan_${Math.random().toString(36).slice(2)}`
  await client.query('set plan_cache_mode = force_generic_plan')
  await client.query(`prepare ${name} as ${text}`)
  const literal = (value: unknown) =>
    value === null ? 'null' : client.escapeLiteral(Array.isArray(value) ? `{${value}}` : String(value))
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) execute ${name} (${values.map(literal).join(', ')})`,
  )
  return planNodes(rows[0]?.['QUERY PLAN'][0].Plan as PlanNode).filter((node) => node['Actual Loops'] > 0)
}

const worst = walkCases.filter(({ query }) => query.depth === 3 && query.hub_cap === 200)
const usual = walkCases.filter((each) => !worst.includes(each))

test.each([...usual, ...worst])(
  'LES-17 LES-22: near in $what sends at most 12 statements, and none reads a whole table',
  async (each) => {
    const node_ids = await startsIn(bed.admin, graph, each, 1)
    const { sent, reached } = await sentBy({
      ...each.query,
      kinds: [...each.query.kinds],
      node_ids,
      limit: 100,
    })
    expect(reached).toBeGreaterThan(node_ids.length)
    expect(sent.length).toBeGreaterThan(3)
    expect(sent.length).toBeLessThanOrEqual(12)
    for (const statement of sent) {
      const nodes = await planOf(statement)
      const large = ['nodes', 'edges', 'lessons', 'anchors', 'anchor_ups']
      const whole = nodes.filter(
        (node) => node['Node Type'].includes('Seq Scan') && large.includes(node['Relation Name'] ?? ''),
      )
      expect({ text: statement.text, whole }).toEqual({ text: statement.text, whole: [] })
    }
  },
)

test('LES-44: near from the root sends no more, however many lessons are under it', async () => {
  const { rows } = await bed.admin.query<{ id: string }>(
    'select id from code_index.nodes where brand_id = $1 and nid = 1',
    [graph.brand_id],
  )
  const { sent } = await sentBy({ node_ids: rows.map(({ id }) => id), depth: 3, hub_cap: 200, limit: 100 })
  expect(sent.length).toBeLessThanOrEqual(12)
})
