import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { StoredRow } from '../publication/plan.rules.ts'

export const nodeKinds = ['folder', 'file', 'symbol'] as const

type Row = Omit<StoredRow, 'kind'> & { readonly kind: number }

const nodesPage = brandStatement<{ project_id: string; after: number; limit: number }, Row>(
  (
    p,
  ) => sql`select nid, kind, path, symbol, body_hash, is_live, removed_version, parent_nid, import_degree, call_degree,
     contains_degree
   from code_index.nodes where brand_id = ${p.brand_id} and project_id = ${p.project_id} and nid > ${p.after}
   order by nid limit ${p.limit}`,
)
const edgesOfNodes = brandStatement<
  { nids: readonly number[] },
  { src: number[]; kind: number[]; dst: number[] }
>(
  (p) => sql`select coalesce(array_agg(src), '{}') as src, coalesce(array_agg(kind::int), '{}') as kind,
     coalesce(array_agg(dst), '{}') as dst
   from code_index.edges where brand_id = ${p.brand_id} and src = any(${p.nids}::int[])`,
)

export async function listNodesAfter(
  ctx: BrandCtx,
  project_id: string,
  after: number,
  limit: number,
): Promise<StoredRow[]> {
  const rows = await ctx.db.all(nodesPage, { project_id, after, limit })
  return rows.map((row) => ({ ...row, kind: nodeKinds[row.kind] ?? 'symbol' }))
}

export async function listEdgesOf(
  ctx: BrandCtx,
  nids: readonly number[],
): Promise<{ src: number[]; kind: number[]; dst: number[] }> {
  return (await ctx.db.first(edgesOfNodes, { nids })) ?? { src: [], kind: [], dst: [] }
}
