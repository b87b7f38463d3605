import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

/** Staged rows from one position to the one before another. */
interface Span {
  readonly run_id: string
  readonly from: number
  readonly until: number
}

const staged = (p: Record<'brand_id' | 'run_id' | 'from' | 'until', Parameters<typeof sql>[1]>) =>
  sql`s.brand_id = ${p.brand_id as never} and s.run_id = ${p.run_id as never}
     and s.position >= ${p.from as never} and s.position < ${p.until as never}`

// A node leaves its place before another one takes it; only then is the place of a live node unique at all times.
const leave = brandStatement<Span & { version: number }, unknown>(
  (
    p,
  ) => sql`update code_index.nodes n set is_live = false, removed_in = coalesce(s.removed_in, ''), parent_nid = null,
     removed_version = case when s.removed_in is null then n.removed_version else ${p.version}::int end,
     removed_step = s.removed_step,
     import_degree = s.import_degree, call_degree = s.call_degree, contains_degree = s.contains_degree
   from code_index.staged_nodes s where ${staged(p)} and n.brand_id = ${p.brand_id} and n.nid = s.nid`,
)
const arrive = brandStatement<Span, unknown>(
  (
    p,
  ) => sql`update code_index.nodes n set path = s.path, symbol = s.symbol, parent_nid = s.parent_nid, body_hash = s.body_hash,
     import_degree = s.import_degree, call_degree = s.call_degree, contains_degree = s.contains_degree,
     is_live = true, removed_in = null, removed_version = 0, removed_step = 0
   from code_index.staged_nodes s where ${staged(p)} and n.brand_id = ${p.brand_id} and n.nid = s.nid`,
)
const create = brandStatement<Span & { project_id: string }, unknown>(
  (
    p,
  ) => sql`insert into code_index.nodes (brand_id, nid, project_id, kind, path, symbol, parent_nid, body_hash,
     import_degree, call_degree, contains_degree)
   select s.brand_id, s.nid, ${p.project_id}::uuid, s.kind, s.path, s.symbol, s.parent_nid, s.body_hash,
     s.import_degree, s.call_degree, s.contains_degree
   from code_index.staged_nodes s where ${staged(p)} order by s.position`,
)
const unlink = brandStatement<Span, unknown>(
  (p) => sql`delete from code_index.edges e using code_index.staged_edges s
   where ${staged(p)} and e.brand_id = ${p.brand_id} and e.src = s.src and e.kind = s.kind and e.dst = s.dst`,
)
const link = brandStatement<Span, unknown>(
  (p) => sql`insert into code_index.edges (brand_id, src, kind, dst)
   select s.brand_id, s.src, s.kind, s.dst from code_index.staged_edges s where ${staged(p)}`,
)
const remember = brandStatement<Span & { project_id: string; version: number; commit_id: string }, unknown>(
  (
    p,
  ) => sql`insert into code_index.node_changes (brand_id, project_id, version, nid, change, old_path, old_symbol, path,
     symbol, commit_id)
   select s.brand_id, ${p.project_id}::uuid, ${p.version}::int, s.nid, s.change, s.old_path, s.old_symbol, s.path, s.symbol,
     coalesce(s.removed_in, ${p.commit_id}::text)
   from code_index.staged_nodes s where ${staged(p)} and s.change is not null`,
)

export const updateLeaving = (ctx: BrandTx, span: Span & { version: number }) => ctx.db.run(leave, span)
export const updateArriving = (ctx: BrandTx, span: Span) => ctx.db.run(arrive, span)
export const insertCreated = (ctx: BrandTx, span: Span & { project_id: string }) => ctx.db.run(create, span)
export const deleteUnlinked = (ctx: BrandTx, span: Span) => ctx.db.run(unlink, span)
export const insertLinked = (ctx: BrandTx, span: Span) => ctx.db.run(link, span)
export const insertChanges = (
  ctx: BrandTx,
  span: Span & { project_id: string; version: number; commit_id: string },
) => ctx.db.run(remember, span)
