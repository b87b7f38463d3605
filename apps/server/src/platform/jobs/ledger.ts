import { sqlStatement } from '#platform/db/statement.ts'

interface Claim {
  readonly key: string
  readonly job: string
  readonly id: string
  readonly retry_count: number
  readonly origin: string
  readonly fence: number
}

/**
 * Writes the key of an effect, unless the effect is done or this run has lost its job to another worker.
 * The engine's own row says who holds a job, and each hand-out raises `retry_count`. The share lock keeps
 * it from being handed out again between this look and the commit.
 */
export const claimEffect = sqlStatement<Claim, { mine: boolean; done_now: boolean }>(
  `with mine as (
     select 1 from pgboss.job
     where name = $2 and id = $3::uuid and state = 'active' and retry_count = $4::int for share),
   done as (
     insert into jobs.effects (key, job_id, fence) select $1, $5::uuid, $6::bigint from mine
     on conflict (key) do nothing returning 1)
   select exists (select from mine) as mine, exists (select from done) as done_now`,
  'key',
  'job',
  'id',
  'retry_count',
  'origin',
  'fence',
)

/** Says whether a run still has its job, and keeps it so until the commit. */
export const lockClaim = sqlStatement<Pick<Claim, 'job' | 'id' | 'retry_count'>, { mine: 1 }>(
  `select 1 as mine from pgboss.job
   where name = $1 and id = $2::uuid and state = 'active' and retry_count = $3::int for update`,
  'job',
  'id',
  'retry_count',
)

/** The same, and this hand-out becomes the last one. */
export const endRetries = sqlStatement<Pick<Claim, 'job' | 'id' | 'retry_count'>, { mine: 1 }>(
  `update pgboss.job set retry_limit = retry_count
   where name = $1 and id = $2::uuid and state = 'active' and retry_count = $3::int returning 1 as mine`,
  'job',
  'id',
  'retry_count',
)

/** Touches a bounded number of old rows through an index; the job repeats while it finds any. */
export const sweepEffects = sqlStatement<{ days: number; limit: number }, unknown>(
  `delete from jobs.effects where key in (
     select key from jobs.effects where done_at < platform.now() - make_interval(days => $1) order by done_at limit $2)`,
  'days',
  'limit',
)

/** Of each queue the engine's own index tells the first. */
export const findOldestDue = sqlStatement<{ dead: string }, { seconds: number }>(
  `select greatest(0, extract(epoch from platform.clock_now() - min(first.start_after)))::float8 as seconds
   from pgboss.queue q cross join lateral (
     select start_after from pgboss.job j
     where j.name = q.name and j.state < 'active' and j.start_after <= platform.clock_now()
     order by start_after limit 1) first
   where q.name <> $1`,
  'dead',
)

/** Jobs that gave up, by the queue they came from. */
export const countDead = sqlStatement<{ queue: string }, { job: string; dead: number }>(
  `select coalesce(source_name, 'unknown') as job, count(*)::int as dead
   from pgboss.job where name = $1 and state = 'created' group by 1`,
  'queue',
)
