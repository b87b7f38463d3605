import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

const file = brandStatement<{ project_id: string; slug: string }, { id: string; file_text: string }>(
  (p) => sql`select id, file_text from lessons.lessons
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} and slug = ${p.slug} and status <> 'removed'`,
)
/** What the lesson was read from, also a retired one. */
export const findFile = (ctx: BrandCtx, project_id: string, slug: string) =>
  ctx.db.first(file, { project_id, slug })
