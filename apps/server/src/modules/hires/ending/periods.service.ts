import { renewServiceToken } from '#modules/identity'
import type { BrandCtx, OutsideSystemCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import { endIfDue, holdAgentOf } from './end.service.ts'
import * as store from './ending.store.ts'

/** HIRE-G13: the next period of a hire that nobody has canceled. However many months were missed, it is renewed once. */
export const renewIfDue = (ctx: BrandCtx, hire_id: string): Promise<boolean> =>
  ctx.tx(async (ctx) => {
    const found = await store.findHireToRenew(ctx, hire_id)
    if (!found) return false
    await holdAgentOf(ctx, found)
    const row = await store.updateRenewed(ctx, hire_id)
    if (!row) return false
    await ctx.faultPoint('hires.renewed')
    const { profile_id, periods, token_id, current_period_end } = row
    const data = { hire_id, profile_id, status: 'active' as const, periods }
    await ctx.emit({ type: 'hire.renewed', subject_id: hire_id, data })
    if (token_id !== null) await renewServiceToken(ctx, token_id)
    const to = { periods, current_period_end }
    await ctx.audit({ action: 'hire.renewed', target: `hire:${hire_id}`, from: null, to })
    return true
  })

/** What is due in all workspaces, also what a lost job would have done. */
export async function sweepPeriods(ctx: OutsideSystemCtx, signal: AbortSignal): Promise<void> {
  const failures: unknown[] = []
  const over = async (
    list: typeof store.listDueEnds,
    work: (ctx: BrandCtx, id: string) => Promise<boolean>,
  ) => {
    for await (const { brand_id, id } of dueBy(ctx, list)) {
      if (signal.aborted) return
      try {
        await work(ctx.forBrand(brand_id), id)
      } catch (error) {
        // One hire that cannot be ended must not let the others run on.
        ctx.log.warn({ error, brand_id, hire_id: id }, 'could not end or renew a hire')
        failures.push(error)
      }
    }
  }
  await over(store.listDueEnds, endIfDue)
  await over(store.listDueRenewals, renewIfDue)
  if (failures.length > 0) throw failures[0]
}

const inPage = 100

async function* dueBy(ctx: SystemCtx, list: typeof store.listDueEnds): AsyncGenerator<store.DueRow> {
  let after: store.DueRow = { due_at: '-infinity', brand_id: 0, id: '00000000-0000-0000-0000-000000000000' }
  for (;;) {
    const page = await list(ctx, { ...after, limit: inPage })
    yield* page
    const last = page.at(-1)
    if (!last || page.length < inPage) return
    after = last
  }
}
