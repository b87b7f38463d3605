import type { SystemCtx } from '#platform/ctx/ctx.ts'
import * as store from './sending.store.ts'

const lateLimit = 10_000

/** Wakes endpoints with overdue deliveries that nobody was notified of. */
export async function wakeAllLate(ctx: SystemCtx): Promise<void> {
  await store.insertForgotten(ctx, lateLimit)
}

/** Longer than the whole retry schedule. Older deliveries are of no use. */
const pendingDays = 4
const bite = 2000

/** Small batches: no statement holds a lock for long. */
export async function giveUpExpired(ctx: SystemCtx): Promise<void> {
  const expired = { days: pendingDays, limit: bite }
  while ((await store.updateExpired(ctx, expired)) === bite) await ctx.faultPoint('webhooks.expire')
}

export const oldestDueSeconds = async (ctx: SystemCtx): Promise<number> =>
  (await store.findOldestDue(ctx))?.seconds ?? 0
export const keepDays = (ctx: SystemCtx, keep: number) => store.rollDays(ctx, keep)
