import type { BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

export interface HookRow {
  readonly brand_id: number
  readonly project_id: string
  readonly branch: string | null
  /** Sealed. */
  readonly push_secret: Buffer
}

const byProject = statement<{ project_id: string }, HookRow>(
  (p) => sql`select r.brand_id, r.project_id, r.branch, r.push_secret from code_index.repositories r
   join code_index.projects j on j.brand_id = r.brand_id and j.id = r.project_id and j.archived_at is null
   where r.project_id = ${p.project_id} and r.push_secret is not null`,
)
const replace = brandStatement<{ project_id: string; push_secret: Buffer }, { push_secret_set_at: string }>(
  (p) => sql`update code_index.repositories
   set push_secret = ${p.push_secret}, push_secret_set_at = platform.now(), updated_at = platform.now()
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} returning push_secret_set_at`,
)

/** Over all brands: the project is all that its sender names. */
export const findHook = (ctx: SystemCtx, project_id: string) =>
  ctx.overBrands().db.first(byProject, { project_id })
export const updatePushSecret = (ctx: BrandTx, project_id: string, push_secret: Buffer) =>
  ctx.db.first(replace, { project_id, push_secret })
