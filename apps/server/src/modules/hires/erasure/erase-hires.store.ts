import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'

const removals = deletingRows('hires.removals', 'hire_id')
const records = deletingRows('hires.management_records', 'hire_id')
const steps = deletingRows('hires.build_steps', 'hire_id', 'step')
const hires = deletingRows('hires.hires', 'id')

export const deleteRemovals = (ctx: BrandCtx, limit: number) => ctx.db.run(removals, { limit })
export const deleteRecords = (ctx: BrandCtx, limit: number) => ctx.db.run(records, { limit })
export const deleteSteps = (ctx: BrandCtx, limit: number) => ctx.db.run(steps, { limit })
export const deleteHires = (ctx: BrandCtx, limit: number) => ctx.db.run(hires, { limit })
