import type { CanceledAtPeriodEnd, CanceledNow } from '@crewhall/contracts/hires/cancel.ts'
import { endHire as endHireJob } from '@crewhall/contracts/hires/jobs.ts'
import * as refused from '@crewhall/contracts/hires/refusals.ts'
import type { BrandCtx, BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { Claim } from '#platform/idempotency/claim.ts'
import { findHire, type HireRow, lockHire } from '../hiring/hires.store.ts'
import { endHire, holdAgentOf, releaseHire } from './end.service.ts'
import { presentCanceledLater, presentCanceledNow } from './ending.present.ts'
import * as store from './ending.store.ts'
import { ownTrySeconds, type Removals } from './removals.service.ts'

/** HIRE-21: nothing is taken away now. The job and the sweep both look for it when its time has come. */
export const cancelLater = (ctx: BrandCtx, hire_id: string): Promise<CanceledAtPeriodEnd> =>
  ctx.tx(async (ctx) => {
    const hire = await lockActive(ctx, hire_id)
    const row = await store.updateCanceledLater(ctx, hire_id)
    if (!row) throw refused.hireNotActive()
    await ctx.faultPoint('hires.canceled')
    // Times have microseconds, and a job that came before its hire is due would do nothing.
    const run_at = new Date(Date.parse(row.effective_at) + 1)
    await ctx.enqueue(endHireJob, { brand_id: ctx.brandId, hire_id }, { run_at })
    await tellCanceled(ctx, hire, row.effective_at, true)
    return presentCanceledLater(row)
  })

/**
 * Commits the end of the hire, and then tries to remove what belonged to it: whatever becomes of that, the hire has ended.
 * Returns whether it was removed.
 */
export async function cancelNow(
  ctx: OutsideBrandCtx,
  removals: Removals,
  hire_id: string,
  claim?: Claim,
): Promise<boolean> {
  await ctx.tx(async (ctx) => {
    if (!claim || (await claim.once(ctx, 'cancel'))) await cancelIn(ctx, hire_id)
  })
  await ctx.faultPoint('hires.ended')
  // Its own token may have been narrowed, and whoever asked may have gone.
  return removals.tryNow(ctx.afterwards(), hire_id)
}

async function cancelIn(ctx: BrandTx, hire_id: string): Promise<void> {
  const found = active((await findHire(ctx, hire_id)) ?? (await missing(ctx, hire_id)))
  await holdAgentOf(ctx, found)
  const hire = await lockActive(ctx, hire_id)
  await store.updateCanceledNow(ctx, hire_id)
  await ctx.faultPoint('hires.canceled')
  const released = await releaseHire(ctx, hire)
  const { effective_at } = await getCanceled(ctx, hire_id)
  await tellCanceled(ctx, hire, effective_at, false)
  await endHire(ctx, hire, { ...released, own_try_seconds: ownTrySeconds })
}

/** What an immediate cancel returns. */
export const tellEnd = async (ctx: BrandCtx, hire_id: string, is_removed: boolean): Promise<CanceledNow> =>
  presentCanceledNow(await getCanceled(ctx, hire_id), is_removed)

async function getCanceled(ctx: BrandCtx, hire_id: string): Promise<store.CanceledRow> {
  const row = await store.findCanceled(ctx, hire_id)
  if (!row) throw refused.hireNotFound()
  return row
}

/** HIRE-37, HIRE-G12: of two that cancel at once, the second finds it canceled. */
const lockActive = async (ctx: BrandTx, hire_id: string): Promise<HireRow> =>
  active((await lockHire(ctx, hire_id)) ?? (await missing(ctx, hire_id)))

function active(hire: HireRow): HireRow {
  if (hire.status !== 'active') throw refused.hireNotActive()
  return hire
}

/** HIRE-35, HIRE-36: the interface tells hires of other workspaces and unknown ones apart. */
async function missing(ctx: BrandCtx, hire_id: string): Promise<never> {
  throw (await store.hasHireAnywhere(ctx, hire_id)) ? refused.hireOfOther() : refused.hireNotFound()
}

async function tellCanceled(
  ctx: BrandTx,
  { id, profile_id }: HireRow,
  effective_at: string,
  cancel_at_period_end: boolean,
): Promise<void> {
  const data = { hire_id: id, profile_id, status: 'canceled' as const, cancel_at_period_end }
  await ctx.emit({ type: 'hire.canceled', subject_id: id, data })
  await ctx.audit({
    action: 'hire.canceled',
    target: `hire:${id}`,
    from: { status: 'active' },
    to: { status: 'canceled', cancel_at_period_end, effective_at },
  })
}
