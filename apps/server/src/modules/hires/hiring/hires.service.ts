import type { Hire, HireDetails, HireStatus } from '@crewhall/contracts/hires/hires.ts'
import { buildHire } from '@crewhall/contracts/hires/jobs.ts'
import { buildNotFailed, hireNotFound } from '@crewhall/contracts/hires/refusals.ts'
import type { BrandCtx, OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import { presentHire, presentHireDetails } from './hires.present.ts'
import * as store from './hires.store.ts'

/** After every id that there is. */
const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

interface ListQuery {
  readonly status?: HireStatus | undefined
  readonly after?: string | undefined
  readonly limit: number
}

export async function listHires(
  ctx: BrandCtx,
  { status, after = newest, limit }: ListQuery,
): Promise<{ items: Hire[]; next_after: string | null }> {
  // One row more than asked for shows whether there is a next page.
  const rows = await store.listHirePage(ctx, { after, limit: limit + 1 }, status)
  const page = rows.slice(0, limit)
  return {
    items: page.map(presentHire),
    next_after: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  }
}

export const getHire = (ctx: BrandCtx, id: string): Promise<HireDetails> =>
  ctx.snapshot((ctx) => detailsOf(ctx, id))

async function detailsOf(ctx: BrandCtx, id: string): Promise<HireDetails> {
  const row = await store.findHire(ctx, id)
  if (!row) throw hireNotFound()
  return presentHireDetails(row, await store.listSteps(ctx, id), await store.findFirstCard(ctx, id))
}

/** For operators: the workspace that a hire belongs to. */
export async function workspaceOf(ctx: OutsideSystemCtx, id: string): Promise<OutsideBrandCtx> {
  const brand_id = await store.findBrandOfHire(ctx, id)
  if (brand_id === undefined) throw hireNotFound()
  return ctx.forBrand(brand_id)
}

/** Once for each failure: whoever calls again finds a build under way. */
export const retryHire = (ctx: BrandCtx, id: string): Promise<HireDetails> =>
  ctx.tx(async (ctx) => {
    const row = await store.lockHire(ctx, id)
    if (!row) throw hireNotFound()
    if (row.status !== 'provisioning' || row.reason === null) throw buildNotFailed()
    await store.updateRetried(ctx, id)
    await ctx.enqueue(buildHire, { brand_id: ctx.brandId, hire_id: id })
    const { failures } = row
    await ctx.audit({ action: 'hire.retried', target: `hire:${id}`, from: { failures }, to: null })
    return detailsOf(ctx, id)
  })
