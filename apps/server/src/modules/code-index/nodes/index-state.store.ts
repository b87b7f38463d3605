import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { HistoryKind } from '../identity/history.rules.ts'

/** What is visible of a project. */
export interface IndexState {
  readonly epoch: number
  /** 0 until an index is visible. */
  readonly version: number
  readonly commit_id: string | null
  readonly history: HistoryKind | null
  readonly nodes: number
  readonly edges: number
  readonly published_at: string | null
}

type OfProject = { readonly project_id: string }
const columns = 'epoch, version, commit_id, history, nodes, edges, published_at'

const open = brandStatement<OfProject, IndexState>(
  (
    p,
  ) => sql`insert into code_index.indexes (brand_id, project_id, epoch) values (${p.brand_id}, ${p.project_id}, 1)
   on conflict (brand_id, project_id) do update set epoch = indexes.epoch + 1 returning ${columns}`,
)
const find = brandStatement<OfProject, IndexState>(
  (p) => sql`select ${columns} from code_index.indexes
   where brand_id = ${p.brand_id} and project_id = ${p.project_id}`,
)
const lock = brandStatement<OfProject, IndexState>(
  (p) => sql`select ${columns} from code_index.indexes
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} for no key update`,
)
const show = brandStatement<
  OfProject & { commit_id: string; history: HistoryKind; nodes: number; edges: number },
  { version: number; published_at: string }
>(
  (
    p,
  ) => sql`update code_index.indexes set version = version + 1, commit_id = ${p.commit_id}, history = ${p.history},
     nodes = ${p.nodes}, edges = ${p.edges}, published_at = platform.now()
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} returning version, published_at`,
)
const reserve = brandStatement<{ count: number }, { last_nid: number }>(
  (p) => sql`insert into code_index.node_ids (brand_id, last_nid) values (${p.brand_id}, ${p.count})
   on conflict (brand_id) do update set last_nid = node_ids.last_nid + ${p.count} returning last_nid`,
)

/** Takes the next epoch, so that everything an earlier run still wants to write is refused. */
export async function insertEpoch(ctx: BrandCtx, project_id: string): Promise<IndexState> {
  const state = await ctx.db.first(open, { project_id })
  if (!state) throw new Error('an epoch was not written')
  return state
}
export const findIndexState = (ctx: BrandCtx, project_id: string) => ctx.db.first(find, { project_id })
export const lockIndexState = (ctx: BrandTx, project_id: string) => ctx.db.first(lock, { project_id })
export const updateIndexState = (
  ctx: BrandTx,
  shown: OfProject & { commit_id: string; history: HistoryKind; nodes: number; edges: number },
) => ctx.db.first(show, shown)

/** The id before the first of `count` ids that nobody else gets. */
export async function reserveNodeIds(ctx: BrandCtx, count: number): Promise<number> {
  if (count === 0) return 0
  const reserved = await ctx.db.first(reserve, { count })
  if (!reserved) throw new Error('no ids were reserved')
  return reserved.last_nid - count
}
