import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'

const projects = deletingRows('code_index.projects', 'id')

export const deleteProjects = (ctx: BrandCtx, limit: number) => ctx.db.run(projects, { limit })
