import { buildHire } from '@crewhall/contracts/hires/jobs.ts'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { updateLost } from './builds.store.ts'

/** More than this many are found a minute later. */
const most = 200

export const restartLost = (ctx: SystemCtx): Promise<void> =>
  ctx.overBrands().tx(async (ctx) => {
    for (const { brand_id, id } of await updateLost(ctx, most))
      await ctx.enqueue(buildHire, { brand_id, hire_id: id })
  })
