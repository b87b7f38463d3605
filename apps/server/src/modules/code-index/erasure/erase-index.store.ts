import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'

const rows = [
  deletingRows('code_index.staged_edges', 'run_id', 'position'),
  deletingRows('code_index.staged_nodes', 'run_id', 'position'),
  deletingRows('code_index.staged_runs', 'run_id'),
  deletingRows('code_index.node_changes', 'project_id', 'version', 'nid'),
  deletingRows('code_index.edges', 'src', 'kind', 'dst'),
  deletingRows('code_index.nodes', 'nid'),
  deletingRows('code_index.node_ids'),
  deletingRows('code_index.blob_facts', 'key', 'extractor'),
  deletingRows('code_index.indexes', 'project_id'),
]

/** In dependency order; each deletes at most `limit` rows. */
export const deletingIndex = rows.map((each) => (ctx: BrandCtx, limit: number) => ctx.db.run(each, { limit }))
