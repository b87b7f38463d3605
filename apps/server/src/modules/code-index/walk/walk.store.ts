import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { Place } from './starts.rules.ts'
import type { FoundNode, WalkNode } from './walk.rules.ts'

type Row = Omit<WalkNode, 'kind'> & { readonly kind: number }
const kinds = ['folder', 'file', 'symbol'] as const
const columns = `n.nid, n.id as node_id, n.kind, n.path, n.symbol, n.parent_nid, n.import_degree, n.call_degree,
     n.contains_degree`

// The limit holds for what follows: the server ends a statement that nobody waits for, and its connection is free again.
const open = brandStatement<
  { project_id: string; limit_ms: number },
  { version: number; commit_id: string | null }
>(
  (
    p,
  ) => sql`select version, commit_id, set_config('statement_timeout', ${p.limit_ms}::int::text, true) as limit_ms
   from code_index.indexes where brand_id = ${p.brand_id} and project_id = ${p.project_id}`,
)

interface Asked {
  readonly project_id: string
  readonly ats: readonly number[]
  readonly ranks: readonly number[]
  readonly paths: readonly string[]
  readonly symbols: readonly string[]
  readonly folders: readonly boolean[]
  readonly node_ids: readonly string[]
}
const starts = brandStatement<Asked, Row & { at: number; rank: number }>(
  (p) => sql`select asked.at, asked.rank, ${columns}
   from unnest(${p.ats}::int[], ${p.ranks}::int[], ${p.paths}::text[], ${p.symbols}::text[], ${p.folders}::boolean[])
     as asked (at, rank, path, symbol, is_folder)
   join code_index.nodes n on n.brand_id = ${p.brand_id} and n.project_id = ${p.project_id} and n.path = asked.path
     and n.symbol = asked.symbol and n.is_live and (n.kind = 0 or not asked.is_folder)
   union all
   select -1, 0, ${columns} from code_index.nodes n
   where n.brand_id = ${p.brand_id} and n.id = any(${p.node_ids}::uuid[]) and n.project_id = ${p.project_id} and n.is_live`,
)
// By id alone, for whoever needs no more of a node than that it is there.
const live = brandStatement<{ project_id: string; node_ids: readonly string[] }, LiveNode>(
  (p) => sql`select n.nid, n.id as node_id from code_index.nodes n
   where n.brand_id = ${p.brand_id} and n.id = any(${p.node_ids}::uuid[]) and n.project_id = ${p.project_id} and n.is_live`,
)
// Where something was before: the last one that left the place, if it lives elsewhere.
const former = brandStatement<Omit<Asked, 'node_ids' | 'folders'>, Row & { at: number; rank: number }>(
  (p) => sql`select asked.at, asked.rank, ${columns}
   from unnest(${p.ats}::int[], ${p.ranks}::int[], ${p.paths}::text[], ${p.symbols}::text[])
     as asked (at, rank, path, symbol)
   cross join lateral (
     select c.nid from code_index.node_changes c
     where c.brand_id = ${p.brand_id} and c.project_id = ${p.project_id} and c.old_path = asked.path
       and c.old_symbol = asked.symbol and c.change = 0
     order by c.version desc limit 1) last
   join code_index.nodes n on n.brand_id = ${p.brand_id} and n.nid = last.nid and n.is_live`,
)

interface Removed {
  readonly removed_in: string | null
  readonly removed_version: number
  readonly removed_step: number
}
// Where something was before, whatever became of it: the last one that left the place.
const left = brandStatement<
  Omit<Asked, 'node_ids' | 'folders'>,
  Row & { at: number; rank: number } & Removed
>(
  (p) => sql`select asked.at, asked.rank, ${columns}, n.removed_in, n.removed_version, n.removed_step
   from unnest(${p.ats}::int[], ${p.ranks}::int[], ${p.paths}::text[], ${p.symbols}::text[])
     as asked (at, rank, path, symbol)
   cross join lateral (
     select c.nid from code_index.node_changes c
     where c.brand_id = ${p.brand_id} and c.project_id = ${p.project_id} and c.old_path = asked.path
       and c.old_symbol = asked.symbol and c.change < 2
     order by c.version desc limit 1) last
   join code_index.nodes n on n.brand_id = ${p.brand_id} and n.nid = last.nid`,
)
const above = brandStatement<{ nids: readonly number[] }, AncestorRow>(
  (p) => sql`with recursive up as (
     select n.nid, n.nid as ancestor, n.parent_nid, 0 as dist from code_index.nodes n
     where n.brand_id = ${p.brand_id} and n.nid = any(${p.nids}::int[]) and n.is_live
     union all
     select u.nid, n.nid, n.parent_nid, u.dist + 1 from up u
     join code_index.nodes n on n.brand_id = ${p.brand_id} and n.nid = u.parent_nid)
   select nid, ancestor, dist from up`,
)

interface Level {
  /** Nodes to go on from. */
  readonly nids: readonly number[]
  /** Parents of some of them, and whose. */
  readonly parents: readonly number[]
  readonly children: readonly number[]
  readonly reached: readonly number[]
  readonly kinds: readonly number[]
  readonly goes_out: boolean
  readonly goes_in: boolean
  readonly goes_down: boolean
  readonly limit: number
}
// Edges without nodes: joined to them, the planner reads all nodes. What was reached is a subquery, which is hashed; an
// array that is a parameter would be searched from its start for each edge.
const level = brandStatement<Level, FoundNode & { count: number }>(
  (p) => sql`select f.nid, (min(f.way) >> 32)::int as kind, (min(f.way) & 4294967295)::int as via_nid,
     count(*) over ()::int as count
   from (
     select e.dst as nid, (e.kind::bigint << 32) | e.src as way from code_index.edges e
     where ${p.goes_out}::boolean and e.brand_id = ${p.brand_id} and e.src = any(${p.nids}::int[])
       and e.kind = any(${p.kinds}::smallint[])
     union all
     select e.src, (e.kind::bigint << 32) | e.dst from code_index.edges e
     where ${p.goes_in}::boolean and e.brand_id = ${p.brand_id} and e.dst = any(${p.nids}::int[])
       and e.kind = any(${p.kinds}::smallint[])
     union all
     select n.nid, (3::bigint << 32) | n.parent_nid from code_index.nodes n
     where ${p.goes_down}::boolean and n.brand_id = ${p.brand_id} and n.parent_nid = any(${p.nids}::int[])
     union all
     select u.parent, (3::bigint << 32) | u.child from unnest(${p.parents}::int[], ${p.children}::int[]) as u (parent, child)
   ) f
   where f.nid not in (select r.nid from unnest(${p.reached}::int[]) as r (nid))
   group by f.nid order by 2, 1 limit ${p.limit}`,
)
const nodes = brandStatement<{ nids: readonly number[] }, Row>(
  (p) =>
    sql`select ${columns} from code_index.nodes n where n.brand_id = ${p.brand_id} and n.nid = any(${p.nids}::int[])`,
)
const between = brandStatement<
  { nids: readonly number[]; limit: number },
  { src: number; kind: number; dst: number; count: number }
>(
  (p) => sql`select e.src, e.kind, e.dst, count(*) over ()::int as count from code_index.edges e
   where e.brand_id = ${p.brand_id} and e.src = any(${p.nids}::int[]) and e.dst = any(${p.nids}::int[])
   order by e.kind, e.src, e.dst limit ${p.limit}`,
)

const named = ({ kind, ...row }: Row): WalkNode => ({ ...row, kind: kinds[kind] ?? 'symbol' })

const placeColumns = (places: readonly Place[]) => ({
  ats: places.map(({ at }) => at),
  ranks: places.map(({ rank }) => rank),
  paths: places.map(({ path }) => path),
  symbols: places.map(({ symbol }) => symbol),
})

export interface StartRow {
  /** Of the text that it was asked by; -1 if by its id. */
  readonly at: number
  readonly rank: number
  readonly node: WalkNode
}
const started = ({ at, rank, ...row }: Row & { at: number; rank: number }): StartRow => ({
  at,
  rank,
  node: named(row),
})

/** What is visible of a project; every statement after it ends after `limit_ms`. */
export const openWalk = (ctx: BrandCtx, project_id: string, limit_ms: number) =>
  ctx.db.first(open, { project_id, limit_ms })

export async function listStarts(
  ctx: BrandCtx,
  project_id: string,
  places: readonly Place[],
  node_ids: readonly string[],
): Promise<StartRow[]> {
  const folders = places.map(({ is_folder }) => is_folder)
  const rows = await ctx.db.all(starts, { project_id, node_ids, folders, ...placeColumns(places) })
  return rows.map(started)
}

export interface LiveNode {
  readonly nid: number
  readonly node_id: string
}
export const listLive = (ctx: BrandCtx, project_id: string, node_ids: readonly string[]) =>
  ctx.db.all(live, { project_id, node_ids })

export const listFormer = async (
  ctx: BrandCtx,
  project_id: string,
  places: readonly Place[],
): Promise<StartRow[]> => (await ctx.db.all(former, { project_id, ...placeColumns(places) })).map(started)

/** The same with nodes that are gone. */
export async function listLeft(
  ctx: BrandCtx,
  project_id: string,
  places: readonly Place[],
): Promise<(StartRow & Removed)[]> {
  const rows = await ctx.db.all(left, { project_id, ...placeColumns(places) })
  return rows.map(({ removed_in, removed_version, removed_step, ...row }) => ({
    ...started(row),
    ...{ removed_in, removed_version, removed_step },
  }))
}

/** A node with itself and each one that contains it. */
export interface AncestorRow {
  readonly nid: number
  readonly ancestor: number
  /** Steps up; 0 for the node itself. */
  readonly dist: number
}
export const listAncestors = (ctx: BrandCtx, nids: readonly number[]): Promise<AncestorRow[]> =>
  ctx.db.all(above, { nids })

/** The next level of a walk; `count` says how many there are beyond the limit too. */
export const listLevel = (ctx: BrandCtx, asked: Level) => ctx.db.all(level, asked)

export const listNodes = async (ctx: BrandCtx, nids: readonly number[]): Promise<WalkNode[]> =>
  (await ctx.db.all(nodes, { nids })).map(named)

export const listEdgesBetween = (ctx: BrandCtx, nids: readonly number[], limit: number) =>
  ctx.db.all(between, { nids, limit })
