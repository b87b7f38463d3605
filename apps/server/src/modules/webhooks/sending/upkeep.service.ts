import { wakeWebhook } from '@crewhall/contracts/webhooks/jobs.ts'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import * as store from './sending.store.ts'

const lateSeconds = 30
const lateLimit = 500

/** Wakes what should have been sent by now: its wake-up was lost, or its sender was killed. */
export async function wakeAllLate(ctx: SystemCtx): Promise<void> {
  const late = await store.listLate(ctx, { seconds: lateSeconds, limit: lateLimit })
  for (const endpoint of late) await ctx.tx((ctx) => ctx.enqueue(wakeWebhook, endpoint))
}

/** Longer than the whole ladder takes. Past it, nobody wants to hear of it any more. */
const pendingDays = 4
const logDays = 30
const bite = 2000

/** Small bites: no statement of it holds a lock for long. */
export async function sweepLog(ctx: SystemCtx): Promise<void> {
  const expired = { days: pendingDays, limit: bite }
  while ((await store.updateExpired(ctx, expired)) === bite) await ctx.step('webhooks.expire')
  const old = { days: logDays, limit: bite }
  while ((await store.deleteOld(ctx, old)) === bite) await ctx.step('webhooks.sweep')
}
