import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface ClaimedEndpoint {
  readonly id: string
  readonly url: string
  readonly secret: Buffer
  readonly old_secret: Buffer | null
  readonly failures: number
}

export interface DueDelivery {
  readonly id: string
  readonly board_id: string | null
  readonly payload: string
  readonly rung: number
}

interface OfEndpoint {
  readonly brand_id: number
  readonly webhook_id: string
}
interface OfDelivery {
  readonly brand_id: number
  readonly id: string
}

const isFree = `(e.sending_until is null or e.sending_until <= platform.now())
     and (e.resting_until is null or e.resting_until <= platform.now())`
const isDue = `d.status = 'pending' and d.next_attempt_at <= platform.now()`

const claim = sqlStatement<OfEndpoint & { sender: string; seconds: number }, ClaimedEndpoint>(
  `update webhooks.endpoints e set sender = $3, sending_until = platform.now() + make_interval(secs => $4)
   where e.brand_id = $1 and e.id = $2 and e.is_enabled and ${isFree}
     and exists (select from webhooks.deliveries d where d.brand_id = $1 and d.webhook_id = $2 and ${isDue})
   returning e.id, e.url, e.secret, e.failures,
     case when e.old_secret_until > platform.now() then e.old_secret end as old_secret`,
  'brand_id',
  'webhook_id',
  'sender',
  'seconds',
)
// A bounded number of the longest due, and of these in the order in which things happened.
const due = sqlStatement<OfEndpoint & { limit: number }, DueDelivery>(
  `select id, board_id, payload, rung from (
     select d.* from webhooks.deliveries d where d.brand_id = $1 and d.webhook_id = $2 and ${isDue}
     order by d.next_attempt_at limit 500) d
   order by seq limit $3`,
  'brand_id',
  'webhook_id',
  'limit',
)
const anyDue = sqlStatement<OfEndpoint, { is_due: boolean }>(
  `select exists (
     select from webhooks.deliveries d where d.brand_id = $1 and d.webhook_id = $2 and ${isDue}) as is_due`,
  'brand_id',
  'webhook_id',
)
const delivered = sqlStatement<OfDelivery & { status: number }, unknown>(
  `update webhooks.deliveries
   set status = 'delivered', attempts = attempts + 1, next_attempt_at = null, last_attempt_at = platform.now(),
     last_status = $3, last_error = null, delivered_at = platform.now()
   where brand_id = $1 and id = $2 and status = 'pending'`,
  'brand_id',
  'id',
  'status',
)
interface Failure {
  readonly status: number | null
  readonly error: string
  /** Until the next attempt; null when this was the last. */
  readonly wait_seconds: number | null
}
const failed = sqlStatement<OfDelivery & Failure, unknown>(
  `update webhooks.deliveries
   set status = case when $5::int is null then 'failed' else 'pending' end, attempts = attempts + 1,
     rung = rung + 1, next_attempt_at = platform.now() + make_interval(secs => $5::int),
     last_attempt_at = platform.now(), last_status = $3, last_error = $4
   where brand_id = $1 and id = $2 and status = 'pending'`,
  'brand_id',
  'id',
  'status',
  'error',
  'wait_seconds',
)
const disable = sqlStatement<OfEndpoint, { id: string }>(
  `update webhooks.endpoints set is_enabled = false, disabled_reason = 'gone', updated_at = platform.now()
   where brand_id = $1 and id = $2 and is_enabled returning id`,
  'brand_id',
  'webhook_id',
)
interface Release {
  readonly sender: string
  readonly failures: number
  /** How long to leave it alone; null for not at all. */
  readonly rest_seconds: number | null
}
// Whoever was too slow and lost the endpoint to another sender leaves its state alone.
const release = sqlStatement<OfEndpoint & Release, { id: string }>(
  `update webhooks.endpoints
   set sender = null, sending_until = null, failures = $4::int,
     failing_since = case when $4::int > 0 then coalesce(failing_since, platform.now()) end,
     resting_until = platform.now() + make_interval(secs => $5::int)
   where brand_id = $1 and id = $2 and sender = $3 returning id`,
  'brand_id',
  'webhook_id',
  'sender',
  'failures',
  'rest_seconds',
)
const late = sqlStatement<{ seconds: number; limit: number }, OfEndpoint>(
  `select e.brand_id, e.id as webhook_id from webhooks.endpoints e
   where e.is_enabled and ${isFree} and exists (
     select from webhooks.deliveries d where d.brand_id = e.brand_id and d.webhook_id = e.id
       and d.status = 'pending' and d.next_attempt_at <= platform.now() - make_interval(secs => $1))
   limit $2`,
  'seconds',
  'limit',
)
const expire = sqlStatement<{ days: number; limit: number }, unknown>(
  `update webhooks.deliveries set status = 'failed', next_attempt_at = null, last_error = 'expired'
   where (brand_id, id) in (
     select brand_id, id from webhooks.deliveries
     where status = 'pending' and queued_at < platform.now() - make_interval(days => $1) order by queued_at limit $2)`,
  'days',
  'limit',
)
const forget = sqlStatement<{ days: number; limit: number }, unknown>(
  `delete from webhooks.deliveries where (brand_id, id) in (
     select brand_id, id from webhooks.deliveries
     where created_at < platform.now() - make_interval(days => $1) order by created_at limit $2)`,
  'days',
  'limit',
)

export const claimEndpoint = (
  ctx: BrandCtx,
  given: { webhook_id: string; sender: string; seconds: number },
) => ctx.db.first(claim, { brand_id: ctx.brandId, ...given })
export const listDue = (ctx: BrandCtx, webhook_id: string, limit: number) =>
  ctx.db.all(due, { brand_id: ctx.brandId, webhook_id, limit })
export const hasDue = async (ctx: BrandTx, webhook_id: string) =>
  (await ctx.db.first(anyDue, { brand_id: ctx.brandId, webhook_id }))?.is_due ?? false
export const updateDelivered = (ctx: BrandCtx, id: string, status: number) =>
  ctx.db.run(delivered, { brand_id: ctx.brandId, id, status })
export const updateFailed = (ctx: BrandTx, id: string, failure: Failure) =>
  ctx.db.run(failed, { brand_id: ctx.brandId, id, ...failure })
export const updateDisabled = (ctx: BrandTx, webhook_id: string) =>
  ctx.db.first(disable, { brand_id: ctx.brandId, webhook_id })
export const updateReleased = (ctx: BrandTx, webhook_id: string, given: Release) =>
  ctx.db.first(release, { brand_id: ctx.brandId, webhook_id, ...given })

/** Over all brands: nobody knows whose wake-up was lost. */
export const listLate = (ctx: SystemCtx, given: { seconds: number; limit: number }) =>
  ctx.overBrands().db.all(late, given)
export const updateExpired = (ctx: SystemCtx, given: { days: number; limit: number }) =>
  ctx.overBrands().db.run(expire, given)
export const deleteOld = (ctx: SystemCtx, given: { days: number; limit: number }) =>
  ctx.overBrands().db.run(forget, given)
