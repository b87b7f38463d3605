import { sqlStatement } from '#platform/db/statement.ts'

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

export const tryLock = sqlStatement<Names, { is_free: boolean }>(
  'select pg_try_advisory_xact_lock(hashtextextended($2, $1)) as is_free',
  'brand_id',
  'digest',
)

export const find = sqlStatement<Names, Kept>(
  `select encode(request, 'hex') as request, status, headers, body from platform.kept_answers
   where brand_id = $1 and digest = decode($2, 'hex') and created_at > platform.now() - interval '24 hours'`,
  'brand_id',
  'digest',
)

interface Stored {
  readonly status: number
  readonly headers: string
  readonly body: string | null
}
export const keep = sqlStatement<Names & Stored & { request: string }, unknown>(
  `insert into platform.kept_answers (brand_id, digest, request, status, headers, body)
   values ($1, decode($2, 'hex'), decode($3, 'hex'), $4, $5::jsonb, $6)
   on conflict (brand_id, digest) do update set request = excluded.request, status = excluded.status,
     headers = excluded.headers, body = excluded.body, created_at = excluded.created_at`,
  ...(['brand_id', 'digest', 'request', 'status', 'headers', 'body'] as const),
)

/**
 * A key that is new, or older than a day, begins a claim of its own. One whose lease has run out goes on under the
 * same id, if it is the same request. In every other case there is no row.
 */
export const claim = sqlStatement<
  Names & { request: string; lease_seconds: number },
  { claim_id: string; claim_epoch: number }
>(
  `insert into platform.kept_answers as old (brand_id, digest, request, claim_id, claim_epoch, leased_until)
   values ($1, decode($2, 'hex'), decode($3, 'hex'), gen_random_uuid(), 1,
     platform.now() + make_interval(secs => $4))
   on conflict (brand_id, digest) do update set
     request = excluded.request,
     claim_id = case when old.created_at <= platform.now() - interval '24 hours' then excluded.claim_id
                     else old.claim_id end,
     claim_epoch = coalesce(old.claim_epoch, 0) + 1,
     leased_until = excluded.leased_until,
     steps = case when old.created_at <= platform.now() - interval '24 hours' then '{}' else old.steps end,
     status = null, headers = null, body = null, created_at = excluded.created_at
   where old.created_at <= platform.now() - interval '24 hours'
      or (old.status is null and old.leased_until <= platform.now() and old.request = excluded.request)
   returning claim_id, claim_epoch`,
  ...(['brand_id', 'digest', 'request', 'lease_seconds'] as const),
)

/** Whose claim it is; a takeover has raised the epoch. */
export interface Mine extends Names {
  readonly claim_id: string
  readonly claim_epoch: number
}
const mine = `brand_id = $1 and digest = decode($2, 'hex') and claim_id = $3::uuid and claim_epoch = $4
   and status is null`
const mineKeys = ['brand_id', 'digest', 'claim_id', 'claim_epoch'] as const

export const markStep = sqlStatement<Mine & { step: string }, { is_new: boolean }>(
  `with before as (
     select steps from platform.kept_answers where ${mine} for update)
   update platform.kept_answers set steps = array_append(array_remove(kept_answers.steps, $5), $5)
   from before where ${mine} returning not $5 = any(before.steps) as is_new`,
  ...mineKeys,
  'step',
)

export const keepClaimed = sqlStatement<Mine & Stored, unknown>(
  `update platform.kept_answers set status = $5, headers = $6::jsonb, body = $7, created_at = platform.now(),
     leased_until = null
   where ${mine}`,
  ...mineKeys,
  'status',
  'headers',
  'body',
)

export const dropClaim = sqlStatement<Mine, unknown>(
  `delete from platform.kept_answers where ${mine}`,
  ...mineKeys,
)

export const endLease = sqlStatement<Mine, unknown>(
  `update platform.kept_answers set leased_until = platform.now() where ${mine}`,
  ...mineKeys,
)

/** Bounded, through an index; the job repeats while it finds any. */
export const sweepKeptAnswers = sqlStatement<{ limit: number }, unknown>(
  `delete from platform.kept_answers where (brand_id, digest) in (
     select brand_id, digest from platform.kept_answers
     where created_at < platform.now() - interval '24 hours' order by created_at limit $1)`,
  'limit',
)
