import { brandNotFound } from '@crewhall/contracts/identity/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import * as store from './subscriptions.store.ts'

export interface SubscriptionFacts {
  readonly status: 'none' | 'active' | 'past_due' | 'canceled'
  /** Null where it has no end date. */
  readonly ends_at: string | null
  /** Its status says so, and its end has not come. */
  readonly is_active: boolean
}

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
