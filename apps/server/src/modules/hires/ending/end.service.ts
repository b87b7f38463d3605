import { endHiredSources } from '#modules/conversations'
import { holdHiredDesk, unassignDesk } from '#modules/fleet'
import { holdService, narrowServiceToken } from '#modules/identity'
import { type Released, releaseReferences } from '#modules/marketplace'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import * as store from './ending.store.ts'
import { oweRemoval } from './removals.service.ts'

/**
 * HIRE-23: a canceled hire whose time has come. References are counted now, not when it was canceled. Returns whether this
 * call ended it: however many try, one does.
 */
export const endIfDue = (ctx: BrandCtx, hire_id: string): Promise<boolean> =>
  ctx.tx(async (ctx) => {
    const found = await store.findDueHire(ctx, hire_id)
    if (!found) return false
    await holdAgentOf(ctx, found)
    const hire = await store.lockDueHire(ctx, hire_id)
    if (!hire) return false
    await endHire(ctx, hire, await releaseHire(ctx, hire))
    return true
  })

/** Before the hire is locked, because everything else in the product locks agents and tokens first. */
export async function holdAgentOf(
  ctx: BrandTx,
  { agent_id }: Pick<store.EndingRow, 'agent_id'>,
): Promise<void> {
  if (agent_id !== null) await holdService(ctx, agent_id)
}

/** The first that happens to a hire that is locked and ends, because it locks packages before it emits and audits. */
export async function releaseHire(
  ctx: BrandTx,
  { id, desk_id }: Pick<store.EndingRow, 'id' | 'desk_id'>,
): Promise<Released> {
  if (desk_id !== null) await holdHiredDesk(ctx, desk_id)
  return releaseReferences(ctx, id)
}

/**
 * The hire is canceled and locked, so is its agent, and its packages are released. Takes away whatever else the agent had by
 * this hire. The agent, its memories and its token stay, so it can still be messaged (HIRE-31). `own_try_seconds`: how long
 * the caller has to remove the directory itself.
 */
export async function endHire(
  ctx: BrandTx,
  { id, profile_id, desk_id, token_id }: store.EndingRow,
  { disabled, retained, own_try_seconds = 0 }: Released & { readonly own_try_seconds?: number },
): Promise<void> {
  await ctx.faultPoint('hires.released')
  await store.updateEnded(ctx, id, { disabled, retained })
  await oweRemoval(ctx, id, own_try_seconds)
  if (desk_id !== null && !(await store.hasDeskOfOther(ctx, id, desk_id))) await unassignDesk(ctx, desk_id)
  const [installs_disabled, installs_retained] = [disabled, retained]
  await ctx.emit({
    type: 'hire.ended',
    subject_id: id,
    data: { hire_id: id, profile_id, status: 'canceled', installs_disabled, installs_retained },
  })
  await endHiredSources(ctx, await store.listSourcesOf(ctx, id))
  if (token_id !== null) await narrowServiceToken(ctx, token_id, ['brand:read'])
  await ctx.audit({
    action: 'hire.ended',
    target: `hire:${id}`,
    from: null,
    to: { installs_disabled, installs_retained },
  })
}
