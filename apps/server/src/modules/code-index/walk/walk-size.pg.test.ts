import { isFull, scaled } from '@crewhall/testkit/rounds.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { walk } from '#modules/code-index'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { CodeIndexBed } from '../../../../test/code-index-bed.ts'
import type { WalkQuery } from './walk.rules.ts'

// The size that a large company has is walked with ROUNDS=full, and the times are printed: on a machine that others use
// they say nothing about a bar.

let bed: CodeIndexBed
let pool: pg.Pool
let seeded: { brand_id: number; project_id: string }
const nodes = scaled(1_000_000, 20_000)
const rounds = scaled(100, 5)
beforeAll(async () => {
  bed = await CodeIndexBed.open()
  pool = new pg.Pool({ connectionString: bed.database.owner_url, max: 2 })
  seeded = await seed(pool, nodes)
}, 1_200_000)
afterAll(async () => {
  await pool.end()
  await bed.close()
})

interface Case {
  readonly what: string
  readonly starts: number
  readonly from: 'files' | 'hubs'
  readonly query: WalkQuery
}
const standard: WalkQuery = { depth: 2, kinds: ['import', 'contains'], direction: 'both', hub_cap: 25 }
const wide: WalkQuery = { depth: 3, kinds: ['import', 'call', 'contains'], direction: 'both', hub_cap: 200 }
const cases: readonly Case[] = [
  { what: 'default: 1 file, depth 2, cap 25', starts: 1, from: 'files', query: standard },
  { what: '1 file, depth 3, cap 25', starts: 1, from: 'files', query: { ...standard, depth: 3 } },
  { what: '1 file, depth 3, all kinds, cap 200', starts: 1, from: 'files', query: wide },
  { what: '50 files, depth 3, all kinds, cap 200', starts: 50, from: 'files', query: wide },
  { what: '1 hub, depth 3, all kinds, cap 200', starts: 1, from: 'hubs', query: wide },
]

test.each(cases)(
  'a walk in $what ends within 1,000 nodes and 12 statements, the same twice',
  async (each) => {
    const times: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const node_ids = await startsOf(pool, seeded.brand_id, nodes, each, round)
      const begun = performance.now()
      const counted = countingStatements(bed.in(seeded.brand_id))
      const walked = await walk(counted.ctx, seeded.project_id, { paths: [], node_ids }, each.query)
      times.push(performance.now() - begun)
      expect(counted.sent()).toBeLessThanOrEqual(12)
      expect(walked?.reached.size).toBeGreaterThan(node_ids.length)
      expect(walked?.reached.size).toBeLessThanOrEqual(1000)
      if (round % 5 > 0) continue
      const again = await walk(
        bed.in(seeded.brand_id),
        seeded.project_id,
        { paths: [], node_ids },
        each.query,
      )
      expect([...(again?.reached.keys() ?? [])]).toEqual([...(walked?.reached.keys() ?? [])])
    }
    const sorted = times.toSorted((a, b) => a - b)
    const at = (part: number) => (sorted[Math.ceil(part * sorted.length) - 1] ?? 0).toFixed(1)
    if (isFull) console.log(`${nodes} nodes, ${each.what}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`)
  },
)

/** Begin, the statement that enters the workspace, and commit come on top of what the walk sends. */
function countingStatements(ctx: BrandCtx): { ctx: BrandCtx; sent: () => number } {
  let sent = 3
  const counted = (inside: BrandCtx): BrandCtx => {
    const db = new Proxy(inside.db, {
      get(target, name: 'all') {
        sent += 1
        return target[name].bind(target)
      },
    })
    return new Proxy(inside, { get: (target, name: 'db') => (name === 'db' ? db : target[name]) })
  }
  const snapshot: BrandCtx['snapshot'] = (read, options) => ctx.snapshot((ctx) => read(counted(ctx)), options)
  const get = (target: BrandCtx, name: string) => (name === 'snapshot' ? snapshot : target[name as 'db'])
  return { ctx: new Proxy(ctx, { get }), sent: () => sent }
}

/**
 * Folders of 20 files with 8 symbols each. Imports and calls lead to files near by, and one in ten to a node that is the
 * more popular the lower its number: a few hubs have tens of thousands of edges.
 */
async function seed(pool: pg.Pool, nodes: number): Promise<{ brand_id: number; project_id: string }> {
  const client = await pool.connect()
  try {
    await client.query(`select set_config('app.system', 'on', false)`)
    const { id: brand_id } = (
      await client.query<{ id: number }>(
        `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'business', '{}') returning id`,
      )
    ).rows[0] ?? { id: 0 }
    const { id: project_id } = (
      await client.query<{ id: string }>(
        `insert into code_index.projects (brand_id, id, name) values ($1, gen_random_uuid(), 'P') returning id`,
        [brand_id],
      )
    ).rows[0] ?? { id: '' }
    await client.query(
      `insert into code_index.nodes (brand_id, nid, project_id, kind, path, symbol, parent_nid, import_degree, call_degree,
         contains_degree)
       select $1::int, 1, $2::uuid, 0, '', '', null, 0, 0, 0
       union all
       select $1::int, 2 + n, $2::uuid, case when n % 181 = 0 then 0 when n % 181 % 9 = 1 then 1 else 2 end,
         'd' || n / 181 || case when n % 181 = 0 then '' else '/f' || (n % 181 - 1) / 9 end,
         case when n % 181 > 0 and n % 181 % 9 <> 1 then 's' || n else '' end,
         case when n % 181 = 0 then 1 when n % 181 % 9 = 1 then 2 + n - n % 181
           else 2 + n - (n % 181 - 1) % 9 end, 0, 0, 0
       from generate_series(0, $3::int - 2) n`,
      [brand_id, project_id, nodes],
    )
    await client.query('select setseed(0.5)')
    await client.query(
      `insert into code_index.edges (brand_id, src, kind, dst)
       select $1::int, src, kind, dst from (
         select 2 + n as src, k as kind,
           case when random() < 0.1 then 2 + floor(($2::int - 2) * power(random(), 6))::int
             else greatest(2, least($2::int, 2 + n + floor(1800 * (random() - 0.5))::int)) end as dst
         from generate_series(0, $2::int - 2) n, generate_series(0, 2) k, generate_series(1, 2) again
         where n % 181 > 0 and (random() < 0.95 or k = 2)) e
       where src <> dst on conflict do nothing`,
      [brand_id, nodes],
    )
    await client.query('vacuum analyze code_index.edges')
    await client.query(
      `update code_index.nodes n set import_degree = d.imports, call_degree = d.calls from (
         select nid, count(*) filter (where kind < 2) as imports, count(*) filter (where kind = 2) as calls
         from (select src as nid, kind from code_index.edges union all select dst, kind from code_index.edges) e
         group by nid) d
       where n.brand_id = $1 and n.nid = d.nid`,
      [brand_id],
    )
    await client.query(
      `update code_index.nodes n set contains_degree = d.children + 1 from (
         select parent_nid as nid, count(*) as children from code_index.nodes group by parent_nid) d
       where n.brand_id = $1 and n.nid = d.nid`,
      [brand_id],
    )
    await client.query(
      `insert into code_index.indexes (brand_id, project_id, epoch, version, commit_id, history, nodes, edges, published_at)
       values ($1, $2, 1, 1, 'c', 'first', $3, 0, now())`,
      [brand_id, project_id, nodes],
    )
    await client.query('vacuum analyze code_index.nodes')
    return { brand_id, project_id }
  } finally {
    client.release()
  }
}

async function startsOf(
  pool: pg.Pool,
  brand_id: number,
  nodes: number,
  { starts, from }: Case,
  round: number,
): Promise<string[]> {
  // Files have every ninth number; the lowest ones are hubs.
  const nids = Array.from({ length: starts }, (_, n) => {
    const folder = Math.floor(((round * 7919 + n * 104_729) % nodes) / 181)
    return from === 'hubs' ? 3 + 9 * (round % 10) : 2 + folder * 181 + 1
  }).filter((nid) => nid <= nodes)
  const client = await pool.connect()
  try {
    await client.query(`select set_config('app.system', 'on', false)`)
    const { rows } = await client.query<{ id: string }>(
      'select id from code_index.nodes where brand_id = $1 and nid = any($2)',
      [brand_id, nids],
    )
    return rows.map(({ id }) => id)
  } finally {
    client.release()
  }
}
