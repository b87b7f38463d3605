import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'

const runs = deletingRows('code_index.runs', 'id')
const repositories = deletingRows('code_index.repositories', 'project_id')
const projects = deletingRows('code_index.projects', 'id')

export const deleteRuns = (ctx: BrandCtx, limit: number) => ctx.db.run(runs, { limit })
export const deleteRepositories = (ctx: BrandCtx, limit: number) => ctx.db.run(repositories, { limit })
export const deleteProjects = (ctx: BrandCtx, limit: number) => ctx.db.run(projects, { limit })
