import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface SubscriptionFacts {
  readonly status: 'none' | 'active' | 'past_due' | 'canceled'
  /** Null where it has no end date. */
  readonly ends_at: string | null
  /** Its status says so, and its end has not come. */
  readonly is_active: boolean
}

const columns = 'subscription_status as status, subscription_ends_at as ends_at'
const ofBrand = brandStatement<object, SubscriptionFacts>(
  (p) => sql`select ${columns}, subscription_status = 'active'
     and (subscription_ends_at is null or subscription_ends_at > platform.now()) as is_active
   from identity.brands where id = ${p.brand_id} and erased_at is null`,
)
// The clock is read once the row is held. The time of the transaction is that of its start, and a subscription that ends
// while it waits for the lock would still count. Not `for share`: two holders that raise the epoch of the brand
// afterwards would wait for each other.
const hold = brandStatement<object, SubscriptionFacts>(
  (p) => sql`with held as materialized (
     select ${columns} from identity.brands
     where id = ${p.brand_id} and erased_at is null for no key update)
   select status, ends_at,
     status = 'active' and (ends_at is null or ends_at > platform.clock_now()) as is_active from held`,
)

export const findSubscription = (ctx: BrandCtx) => ctx.db.first(ofBrand, {})
/** Until the end of the transaction it stays as it is, and others who ask for it wait. */
export const lockSubscription = (ctx: BrandTx) => ctx.db.first(hold, {})
