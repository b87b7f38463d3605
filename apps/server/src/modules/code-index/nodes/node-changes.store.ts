import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { NodeChange } from './changes.rules.ts'

const names = ['moved', 'removed', 'revived', 'reparented'] as const
type Row = Omit<NodeChange, 'change' | 'kind'> & { change: number; kind: number }

const listed = brandStatement<
  { project_id: string; version: number; nid: number; until: number; limit: number },
  Row
>(
  (
    p,
  ) => sql`select c.version, c.nid, n.id as node_id, n.kind, c.change, c.old_path, c.old_symbol, c.path, c.symbol,
     c.commit_id, n.removed_step
   from code_index.node_changes c
   join code_index.nodes n on n.brand_id = c.brand_id and n.nid = c.nid
   where c.brand_id = ${p.brand_id} and c.project_id = ${p.project_id}
     and (c.version, c.nid) > (${p.version}::int, ${p.nid}::int) and c.version <= ${p.until}
   order by c.version, c.nid limit ${p.limit}`,
)

/** Those after a position, in the order in which they became visible. */
export async function listChangesAfter(
  ctx: BrandCtx,
  asked: { project_id: string; version: number; nid: number; until: number; limit: number },
): Promise<NodeChange[]> {
  const rows = await ctx.db.all(listed, asked)
  return rows.map((row) => ({
    ...row,
    change: names[row.change] ?? 'removed',
    kind: (['folder', 'file', 'symbol'] as const)[row.kind] ?? 'symbol',
  }))
}
