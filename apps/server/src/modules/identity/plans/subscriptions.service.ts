import { brandNotFound } from '@crewhall/contracts/identity/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { SubscriptionFacts } from './subscriptions.store.ts'
import * as store from './subscriptions.store.ts'

export type { SubscriptionFacts }

/** The subscription of the workspace, as of this statement. */
export async function subscriptionOf(ctx: BrandCtx): Promise<SubscriptionFacts> {
  const found = await store.findSubscription(ctx)
  if (!found) throw brandNotFound()
  return found
}

/**
 * The same for a write that needs an active one: it cannot be changed before this transaction has ended, and its end is
 * compared with the time at which the lock was got. Those who ask take turns, so that what they count under it holds too.
 * It locks the row of the brand, which comes after agents, memberships and tokens.
 */
export async function lockSubscription(ctx: BrandTx): Promise<SubscriptionFacts> {
  const found = await store.lockSubscription(ctx)
  if (!found) throw brandNotFound()
  return found
}
