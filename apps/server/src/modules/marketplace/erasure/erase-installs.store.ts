import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'

const references = deletingRows('marketplace.install_refs', 'package_key', 'hire_id')
const grants = deletingRows('marketplace.grants', 'install_id', 'agent_id')
const installs = deletingRows('marketplace.installs', 'id')

export const deleteReferences = (ctx: BrandCtx, limit: number) => ctx.db.run(references, { limit })
export const deleteGrants = (ctx: BrandCtx, limit: number) => ctx.db.run(grants, { limit })
export const deleteInstalls = (ctx: BrandCtx, limit: number) => ctx.db.run(installs, { limit })
