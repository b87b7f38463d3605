import { maxTries } from '@crewhall/contracts/webhooks/deliveries.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql, statement } from '#platform/db/statement.ts'

export interface ClaimedEndpoint {
  readonly id: string
  readonly url: string
  readonly secret: Buffer
  readonly old_secret: Buffer | null
  readonly failures: number
  readonly latency_ms: number
}

export interface AwakeEndpoint extends OfEndpoint {
  readonly brand_id: number
  readonly url: string
  readonly is_slow: boolean
}

export interface DueDelivery {
  readonly id: string
  /** Says which day it is kept in. */
  readonly created_at: string
  readonly board_id: string | null
  readonly payload: string
  readonly rung: number
}

interface OfEndpoint {
  readonly webhook_id: string
}
type OfDelivery = Pick<DueDelivery, 'id' | 'created_at'>

const isDue = `d.status = 'pending' and d.next_attempt_at <= platform.now()`
const leased = (p: Named<{ seconds: number }>) => sql`platform.now() + make_interval(secs => ${p.seconds})`

type Looked = { known: readonly string[]; limit: number }
// `wake_at` is never before the end of a lease or a rest, so that nobody looks at an endpoint in vain.
const awake = (p: Named<Looked>, isSlow: boolean) => sql`
   (select e.brand_id, e.id as webhook_id, e.url, e.is_slow from webhooks.endpoints e
    where e.is_enabled and e.is_slow = ${String(isSlow)} and e.wake_at <= platform.now() and e.id <> all(${p.known}::uuid[])
    order by e.wake_at limit ${p.limit})`
const listAwakeOnes = statement<Looked, AwakeEndpoint>(
  (p) => sql`${awake(p, false)} union all ${awake(p, true)}`,
)
// Locked in key order, because several processes do this. The holder of the lock sees the newest row.
const wake = statement<{ limit: number }, { count: number }>(
  (p) => sql`with taken as (
     delete from webhooks.arrivals where (brand_id, seq) in (
       select brand_id, seq from webhooks.arrivals order by seq limit ${p.limit} for update skip locked)
     returning brand_id, webhook_id),
   found as (
     select e.brand_id, e.id from webhooks.endpoints e
     where (e.brand_id, e.id) in (select brand_id, webhook_id from taken)
     order by e.brand_id, e.id for no key update),
   woken as (
     update webhooks.endpoints e
     set wake_at = least(e.wake_at, greatest(platform.now(), e.resting_until, e.sending_until))
     from found f where e.brand_id = f.brand_id and e.id = f.id)
   select count(*)::int as count from taken`,
)
const claim = brandStatement<OfEndpoint & { sender: string; seconds: number }, ClaimedEndpoint>(
  (p) => sql`update webhooks.endpoints e set sender = ${p.sender}, sending_until = ${leased(p)},
     wake_at = ${leased(p)}
   where e.brand_id = ${p.brand_id} and e.id = ${p.webhook_id} and e.is_enabled and e.wake_at <= platform.now()
   returning e.id, e.url, e.secret, e.failures, e.latency_ms,
     case when e.old_secret_until > platform.now() then e.old_secret end as old_secret`,
)
const renew = brandStatement<OfEndpoint & { sender: string; seconds: number }, unknown>(
  (p) => sql`update webhooks.endpoints e set sending_until = ${leased(p)}, wake_at = ${leased(p)}
   where e.brand_id = ${p.brand_id} and e.id = ${p.webhook_id} and e.sender = ${p.sender}`,
)
// A bounded number of the longest due, in the order of their events.
const due = brandStatement<OfEndpoint & { limit: number }, DueDelivery>(
  (p) => sql`select id, created_at, board_id, payload, rung from (
     select d.* from webhooks.deliveries d where d.brand_id = ${p.brand_id} and d.webhook_id = ${p.webhook_id}
       and ${isDue}
     order by d.next_attempt_at limit 500) d
   order by seq limit ${p.limit}`,
)
interface Tried {
  readonly status: number | null
  readonly error: string | null
  readonly duration_ms: number
}
const triedAt = `to_char(platform.now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
/** What there was before, as far as it is kept, and this one. */
const withTry = (p: Named<Tried>) =>
  sql`jsonb_path_query_array(coalesce(tries, '[]') || jsonb_build_object('at', ${triedAt}, 'status', ${p.status}::int,
       'error', ${p.error}::text, 'duration_ms', ${p.duration_ms}::int), '$[last - ${String(maxTries - 1)} to last]')`
const delivered = brandStatement<OfDelivery & Tried, unknown>(
  (p) => sql`update webhooks.deliveries
   set status = 'delivered', attempts = attempts + 1, next_attempt_at = null, last_attempt_at = platform.now(),
     last_status = ${p.status}, last_error = null, delivered_at = platform.now(), tries = ${withTry(p)}
   where brand_id = ${p.brand_id} and id = ${p.id} and created_at = ${p.created_at} and status = 'pending'`,
)
interface Failure extends Tried {
  readonly error: string
  /** Until the next attempt; null when this was the last. */
  readonly wait_seconds: number | null
}
const failed = brandStatement<OfDelivery & Failure, unknown>(
  (p) => sql`update webhooks.deliveries
   set status = case when ${p.wait_seconds}::int is null then 'failed' else 'pending' end,
     attempts = attempts + 1,
     rung = rung + 1, next_attempt_at = platform.now() + make_interval(secs => ${p.wait_seconds}::int),
     last_attempt_at = platform.now(), last_status = ${p.status}, last_error = ${p.error}, tries = ${withTry(p)}
   where brand_id = ${p.brand_id} and id = ${p.id} and created_at = ${p.created_at} and status = 'pending'`,
)
const disable = brandStatement<OfEndpoint, { id: string }>(
  (p) => sql`update webhooks.endpoints set is_enabled = false, disabled_reason = 'gone',
     updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.webhook_id} and is_enabled returning id`,
)
interface Release {
  readonly sender: string
  readonly failures: number
  /** How long to leave it alone; null for not at all. */
  readonly rest_seconds: number | null
  readonly latency_ms: number
  readonly is_slow: boolean
}
// A sender that was too slow and lost the endpoint to another leaves its state alone. What was committed too late to be
// seen here still has an arrival to be taken.
const release = brandStatement<OfEndpoint & Release, unknown>(
  (p) => sql`update webhooks.endpoints e
   set sender = null, sending_until = null, failures = ${p.failures}::int,
     latency_ms = ${p.latency_ms}::int, is_slow = ${p.is_slow}::boolean,
     failing_since = case when ${p.failures}::int > 0 then coalesce(failing_since, platform.now()) end,
     resting_until = platform.now() + make_interval(secs => ${p.rest_seconds}::int),
     wake_at = (
       select greatest(min(d.next_attempt_at), platform.now() + make_interval(secs => ${p.rest_seconds}::int))
       from webhooks.deliveries d where d.brand_id = ${p.brand_id} and d.webhook_id = ${p.webhook_id}
         and d.status = 'pending'
       having min(d.next_attempt_at) is not null)
   where e.brand_id = ${p.brand_id} and e.id = ${p.webhook_id} and e.sender = ${p.sender}`,
)
// Of the last minutes only, and only where nobody is going to look: a process of a version before this one writes
// deliveries without arrivals.
const wakeForgotten = statement<{ limit: number }, unknown>(
  (p) => sql`insert into webhooks.arrivals (brand_id, webhook_id)
   select distinct e.brand_id, e.id from (
     select brand_id, webhook_id from webhooks.deliveries
     where status = 'pending' and queued_at between platform.now() - interval '10 minutes'
       and platform.now() - interval '30 seconds' order by queued_at limit ${p.limit}) d
   join webhooks.endpoints e on e.brand_id = d.brand_id and e.id = d.webhook_id and e.wake_at is null`,
)
const expire = statement<{ days: number; limit: number }, unknown>(
  (p) => sql`update webhooks.deliveries set status = 'failed', next_attempt_at = null, last_error = 'expired'
   where (brand_id, id, created_at) in (
     select brand_id, id, created_at from webhooks.deliveries
     where status = 'pending' and queued_at < platform.now() - make_interval(days => ${p.days})
       order by queued_at limit ${p.limit})`,
)
const roll = statement<{ keep: number }, unknown>((p) => sql`select webhooks.roll_deliveries(${p.keep})`)

interface Lease {
  readonly webhook_id: string
  readonly sender: string
  readonly seconds: number
}

export const claimEndpoint = (ctx: BrandCtx, given: Lease) => ctx.db.first(claim, { ...given })
export const updateLease = (ctx: BrandCtx, given: Lease) => ctx.db.run(renew, { ...given })
const wakesFirst = (isSlow: boolean) => sql`(select e.wake_at as due_at from webhooks.endpoints e
     where e.is_enabled and e.is_slow = ${String(isSlow)} and e.wake_at <= platform.now() order by e.wake_at limit 1)`
/**
 * Since when somebody should have looked at an endpoint with something to send: the one that is due for longest, or the first
 * of which nobody has taken note. Retries that wait for their time are not due.
 */
const oldestDue = statement<object, { seconds: number }>(
  () => sql`select greatest(0, extract(epoch from platform.clock_now() - min(due_at)))::float8 as seconds from (
     ${wakesFirst(false)} union all ${wakesFirst(true)} union all
     (select first.due_at from (select brand_id, webhook_id from webhooks.arrivals order by seq limit 1) a
      join webhooks.endpoints e on e.brand_id = a.brand_id and e.id = a.webhook_id and e.is_enabled
      cross join lateral (
        select greatest(d.next_attempt_at, e.resting_until, e.sending_until) as due_at from webhooks.deliveries d
        where d.brand_id = a.brand_id and d.webhook_id = a.webhook_id and d.status = 'pending'
        order by d.next_attempt_at limit 1) first)) due`,
)

export const findOldestDue = (ctx: SystemCtx) => ctx.overBrands().db.first(oldestDue, {})
export const listDue = (ctx: BrandCtx, webhook_id: string, limit: number) =>
  ctx.db.all(due, { webhook_id, limit })
export const updateDelivered = (ctx: BrandCtx, { id, created_at }: OfDelivery, tried: Tried) =>
  ctx.db.run(delivered, { id, created_at, ...tried })
export const updateFailed = (ctx: BrandCtx, { id, created_at }: OfDelivery, failure: Failure) =>
  ctx.db.run(failed, { id, created_at, ...failure })
export const updateDisabled = (ctx: BrandTx, webhook_id: string) => ctx.db.first(disable, { webhook_id })
export const updateReleased = (ctx: BrandCtx, webhook_id: string, given: Release) =>
  ctx.db.run(release, { webhook_id, ...given })

/** Across all brands, like the rest: it is not known which have work. Returns how many it took. */
export const updateWoken = async (ctx: SystemCtx, limit: number) =>
  (await ctx.overBrands().db.first(wake, { limit }))?.count ?? 0
export const listAwake = (ctx: SystemCtx, given: Looked) => ctx.overBrands().db.all(listAwakeOnes, given)
export const insertForgotten = (ctx: SystemCtx, limit: number) =>
  ctx.overBrands().db.run(wakeForgotten, { limit })
export const updateExpired = (ctx: SystemCtx, given: { days: number; limit: number }) =>
  ctx.overBrands().db.run(expire, given)
export const rollDays = (ctx: SystemCtx, keep: number) => ctx.db.run(roll, { keep })
