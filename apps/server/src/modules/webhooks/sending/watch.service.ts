import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import { type SendingDeps, startSender } from './sending.service.ts'
import * as store from './sending.store.ts'

const takeLimit = 1000
const listLimit = 500
/** More than this is left to the next look, or to another worker. */
const maxKnown = 5000

/** Takes note of new deliveries, and starts a sender for every endpoint that is due. */
export async function watchEndpoints(ctx: OutsideSystemCtx, deps: SendingDeps): Promise<void> {
  // After a restore all stays where it is, new arrivals too, until the operator has released it.
  if (await deps.hold.isOn()) return
  while ((await store.updateWoken(ctx, takeLimit)) === takeLimit) await ctx.faultPoint('webhooks.woken')
  const known = deps.dispatcher.keys
  if (known.length >= maxKnown) return
  for (const endpoint of await store.listAwake(ctx, { known, limit: listLimit })) {
    startSender(ctx, deps, endpoint)
  }
}
