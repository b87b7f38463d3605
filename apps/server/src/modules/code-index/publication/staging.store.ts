import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import type { PlannedNode } from './plan.rules.ts'

export interface StagedRun {
  readonly run_id: string
  readonly project_id: string
  readonly epoch: number
}
export interface StagedEdges {
  readonly src: readonly number[]
  readonly kind: readonly number[]
  readonly dst: readonly number[]
}

const kinds = { folder: 0, file: 1, symbol: 2 } as const
const changes = { moved: 0, removed: 1, revived: 2, reparented: 3 } as const

// Nothing is written when another run has begun since.
const insertRun = brandStatement<StagedRun, unknown>(
  (p) => sql`insert into code_index.staged_runs (brand_id, run_id, project_id, epoch)
   select brand_id, ${p.run_id}::uuid, project_id, epoch from code_index.indexes
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} and epoch = ${p.epoch}`,
)

interface NodeColumns {
  readonly run_id: string
  readonly first: number
  readonly nid: readonly number[]
  readonly kind: readonly number[]
  readonly path: readonly string[]
  readonly symbol: readonly string[]
  readonly parent_nid: readonly (number | null)[]
  readonly body_hash: readonly (string | null)[]
  readonly import_degree: readonly number[]
  readonly call_degree: readonly number[]
  readonly contains_degree: readonly number[]
  readonly removed_in: readonly (string | null)[]
  readonly removed_step: readonly number[]
  readonly change: readonly (number | null)[]
  readonly old_path: readonly string[]
  readonly old_symbol: readonly string[]
}
const insertNodes = brandStatement<NodeColumns, unknown>(
  (
    p,
  ) => sql`insert into code_index.staged_nodes (brand_id, run_id, position, nid, kind, path, symbol, parent_nid,
     body_hash, import_degree, call_degree, contains_degree, removed_in, removed_step, change, old_path, old_symbol)
   select ${p.brand_id}::int, ${p.run_id}::uuid, ${p.first}::int + n.at - 1, n.nid, n.kind, n.path, n.symbol, n.parent_nid,
     n.body_hash, n.import_degree, n.call_degree, n.contains_degree, n.removed_in, n.removed_step, n.change, n.old_path,
     n.old_symbol
   from unnest(${p.nid}::int[], ${p.kind}::int[], ${p.path}::text[], ${p.symbol}::text[], ${p.parent_nid}::int[],
     ${p.body_hash}::text[], ${p.import_degree}::int[], ${p.call_degree}::int[], ${p.contains_degree}::int[],
     ${p.removed_in}::text[], ${p.removed_step}::int[], ${p.change}::int[], ${p.old_path}::text[], ${p.old_symbol}::text[]) with ordinality
     as n (nid, kind, path, symbol, parent_nid, body_hash, import_degree, call_degree, contains_degree, removed_in,
       removed_step, change, old_path, old_symbol, at)`,
)
const insertEdges = brandStatement<StagedEdges & { run_id: string; first: number }, unknown>(
  (p) => sql`insert into code_index.staged_edges (brand_id, run_id, position, src, kind, dst)
   select ${p.brand_id}::int, ${p.run_id}::uuid, ${p.first}::int + e.at - 1, e.src, e.kind, e.dst
   from unnest(${p.src}::int[], ${p.kind}::int[], ${p.dst}::int[]) with ordinality as e (src, kind, dst, at)`,
)

type Bite = { readonly run_id: string; readonly limit: number }
const runsOfProject = brandStatement<{ project_id: string }, { run_id: string }>(
  (p) =>
    sql`select run_id from code_index.staged_runs where brand_id = ${p.brand_id} and project_id = ${p.project_id}`,
)
// Up to a position, not one of a list: rows that came a moment ago are in no statistics, and a join would be quadratic.
const deleteOf = (table: 'staged_nodes' | 'staged_edges') =>
  brandStatement<Bite, unknown>(
    (
      p,
    ) => sql`delete from code_index.${table} where brand_id = ${p.brand_id} and run_id = ${p.run_id} and position <= (
     select max(b.position) from (select position from code_index.${table}
       where brand_id = ${p.brand_id} and run_id = ${p.run_id} order by position limit ${p.limit}) b)`,
  )
const [deleteNodes, deleteEdges] = [deleteOf('staged_nodes'), deleteOf('staged_edges')]
const deleteRun = brandStatement<{ run_id: string }, unknown>(
  (p) => sql`delete from code_index.staged_runs where brand_id = ${p.brand_id} and run_id = ${p.run_id}`,
)
const oldRuns = statement<{ hours: number }, { brand_id: number; run_id: string }>(
  (p) => sql`select brand_id, run_id from code_index.staged_runs
   where created_at < platform.now() - make_interval(hours => ${p.hours}::int) order by created_at limit 1`,
)

export const insertStagedRun = (ctx: BrandCtx, run: StagedRun) => ctx.db.run(insertRun, run)

export const insertStagedNodes = (
  ctx: BrandCtx,
  run_id: string,
  first: number,
  nodes: readonly PlannedNode[],
) =>
  ctx.db.run(insertNodes, {
    run_id,
    first,
    nid: nodes.map(({ nid }) => nid),
    kind: nodes.map(({ kind }) => kinds[kind]),
    path: nodes.map(({ path }) => path),
    symbol: nodes.map(({ symbol }) => symbol),
    parent_nid: nodes.map(({ parent_nid }) => parent_nid),
    body_hash: nodes.map(({ body_hash }) => body_hash),
    import_degree: nodes.map(({ import_degree }) => import_degree),
    call_degree: nodes.map(({ call_degree }) => call_degree),
    contains_degree: nodes.map(({ contains_degree }) => contains_degree),
    removed_in: nodes.map(({ removed_in }) => removed_in),
    removed_step: nodes.map(({ removed_step }) => removed_step),
    change: nodes.map(({ change }) => (change ? changes[change] : null)),
    old_path: nodes.map(({ old_path }) => old_path),
    old_symbol: nodes.map(({ old_symbol }) => old_symbol),
  })

export const insertStagedEdges = (ctx: BrandCtx, run_id: string, first: number, edges: StagedEdges) =>
  ctx.db.run(insertEdges, { ...edges, run_id, first })

export const listStagedRuns = (ctx: BrandCtx, project_id: string) => ctx.db.all(runsOfProject, { project_id })

/** At most `limit` rows; the run itself when nothing else is left. */
export async function deleteStaged(ctx: BrandCtx, run_id: string, limit: number): Promise<number> {
  const edges = await ctx.db.run(deleteEdges, { run_id, limit })
  const nodes = edges < limit ? await ctx.db.run(deleteNodes, { run_id, limit: limit - edges }) : 0
  if (edges + nodes < limit) await ctx.db.run(deleteRun, { run_id })
  return edges + nodes
}

export const findOldStagedRun = (ctx: SystemCtx, hours: number) =>
  ctx.overBrands().db.first(oldRuns, { hours })
