import type { LessonSyncState } from '@crewhall/contracts/lessons/sync.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

// Also locks a row that is there.
const hold = brandStatement<{ project_id: string; version: number }, unknown>(
  (p) => sql`insert into lessons.states (brand_id, project_id, index_version)
   values (${p.brand_id}, ${p.project_id}, ${p.version})
   on conflict (brand_id, project_id) do update set index_version = states.index_version`,
)
const show = brandStatement<{ project_id: string; version: number }, unknown>(
  (p) => sql`update lessons.states set index_version = ${p.version}
   where brand_id = ${p.brand_id} and project_id = ${p.project_id}`,
)
interface Synced {
  readonly project_id: string
  readonly commit_id: string
  readonly files: number
  readonly refused: string
  readonly refused_total: number
}
const sync = brandStatement<Synced, unknown>(
  (
    p,
  ) => sql`update lessons.states set commit_id = ${p.commit_id}, files = ${p.files}, refused = ${p.refused}::jsonb,
     refused_total = ${p.refused_total}, synced_at = platform.now()
   where brand_id = ${p.brand_id} and project_id = ${p.project_id}`,
)

const read = brandStatement<{ project_id: string }, LessonSyncState>(
  (p) => sql`select commit_id as commit, synced_at, files, refused_total, refused from lessons.states
   where brand_id = ${p.brand_id} and project_id = ${p.project_id}`,
)

export const findState = (ctx: BrandCtx, project_id: string) => ctx.db.first(read, { project_id })
/** Until the commit, nobody else writes lessons or anchors of the project. A new row is of this version of the index. */
export const lockState = (ctx: BrandTx, project_id: string, version: number) =>
  ctx.db.run(hold, { project_id, version })
export const updateVersion = (ctx: BrandTx, project_id: string, version: number) =>
  ctx.db.run(show, { project_id, version })
export const updateSynced = (ctx: BrandTx, synced: Synced) => ctx.db.run(sync, synced)
