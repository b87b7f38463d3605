import { type Named, sql, statement } from '#platform/db/statement.ts'

export interface Kept {
  readonly request: string
  /** Null while it is claimed. */
  readonly status: number | null
  readonly headers: Record<string, string> | null
  readonly body: string | null
}

interface Names {
  readonly brand_id: number
  readonly digest: string
}

export const tryLock = statement<Names, { is_free: boolean }>(
  (p) => sql`select pg_try_advisory_xact_lock(hashtextextended(${p.digest}, ${p.brand_id})) as is_free`,
)

export const find = statement<Names, Kept>(
  (p) => sql`select encode(request, 'hex') as request, status, headers, body from platform.idempotency_keys
   where brand_id = ${p.brand_id} and digest = decode(${p.digest}, 'hex')
     and created_at > platform.now() - interval '24 hours'`,
)

interface Asked extends Names {
  readonly request: string
  /** Whose route it was: what a module withdraws is looked for among its own. */
  readonly module: string
}
interface Stored {
  readonly status: number
  readonly headers: string
  readonly body: string | null
}
export const keep = statement<Asked & Stored, unknown>(
  (p) => sql`insert into platform.idempotency_keys (brand_id, digest, module, request, status, headers, body)
   values (${p.brand_id}, decode(${p.digest}, 'hex'), ${p.module}, decode(${p.request}, 'hex'), ${p.status},
     ${p.headers}::jsonb, ${p.body})
   on conflict (brand_id, digest) do update set module = excluded.module, request = excluded.request, status = excluded.status,
     headers = excluded.headers, body = excluded.body, created_at = excluded.created_at`,
)

/**
 * A new key, or one older than a day, starts a new claim. If its lease has expired, the same request continues the claim
 * under the same id. In all other cases there is no row.
 */
export const claim = statement<Asked & { lease_seconds: number }, { claim_id: string; claim_epoch: number }>(
  (p) => sql`insert into platform.idempotency_keys as old
     (brand_id, digest, module, request, claim_id, claim_epoch, leased_until)
   values (${p.brand_id}, decode(${p.digest}, 'hex'), ${p.module}, decode(${p.request}, 'hex'), gen_random_uuid(), 1,
     platform.now() + make_interval(secs => ${p.lease_seconds}))
   on conflict (brand_id, digest) do update set
     module = excluded.module, request = excluded.request,
     claim_id = case when old.created_at <= platform.now() - interval '24 hours' then excluded.claim_id
                     else old.claim_id end, claim_epoch = coalesce(old.claim_epoch, 0) + 1,
     leased_until = excluded.leased_until,
     steps = case when old.created_at <= platform.now() - interval '24 hours' then '{}' else old.steps end,
     status = null, headers = null, body = null, created_at = excluded.created_at
   where old.created_at <= platform.now() - interval '24 hours'
      or (old.status is null and old.leased_until <= platform.now() and old.request = excluded.request)
   returning claim_id, claim_epoch`,
)

/** Whose claim it is; a takeover has raised the epoch. */
export interface Mine extends Names {
  readonly claim_id: string
  readonly claim_epoch: number
}
const mine = (p: Named<Mine>) =>
  sql`brand_id = ${p.brand_id} and digest = decode(${p.digest}, 'hex') and claim_id = ${p.claim_id}::uuid
   and claim_epoch = ${p.claim_epoch} and status is null`

export const markStep = statement<Mine & { step: string }, { is_new: boolean }>(
  (p) => sql`with before as (
     select steps from platform.idempotency_keys where ${mine(p)} for update)
   update platform.idempotency_keys set steps = array_append(array_remove(idempotency_keys.steps, ${p.step}), ${p.step})
   from before where ${mine(p)} returning not ${p.step} = any(before.steps) as is_new`,
)

export const keepClaimed = statement<Mine & Stored, unknown>(
  (
    p,
  ) => sql`update platform.idempotency_keys set status = ${p.status}, headers = ${p.headers}::jsonb, body = ${p.body}, created_at = platform.now(),
     leased_until = null
   where ${mine(p)}`,
)

export const dropClaim = statement<Mine, unknown>(
  (p) => sql`delete from platform.idempotency_keys where ${mine(p)}`,
)

export const endLease = statement<Mine, unknown>(
  (p) => sql`update platform.idempotency_keys set leased_until = platform.now() where ${mine(p)}`,
)

/** Bounded, through an index; the job repeats while it finds any. */
export const sweepKeys = statement<{ limit: number }, unknown>(
  (p) => sql`delete from platform.idempotency_keys where (brand_id, digest) in (
     select brand_id, digest from platform.idempotency_keys
     where created_at < platform.now() - interval '24 hours' order by created_at limit ${p.limit})`,
)
