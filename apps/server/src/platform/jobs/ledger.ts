import { sql, statement } from '#platform/db/statement.ts'

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
export const claimEffect = statement<Claim, { mine: boolean; done_now: boolean }>(
  (p) => sql`with mine as (
     select 1 from pgboss.job
     where name = ${p.job} and id = ${p.id}::uuid and state = 'active'
       and retry_count = ${p.retry_count}::int for share),
   done as (
     insert into jobs.effects (key, job_id, fence) select ${p.key}, ${p.origin}::uuid, ${p.fence}::bigint
       from mine
     on conflict (key) do nothing returning 1)
   select exists (select from mine) as mine, exists (select from done) as done_now`,
)

/** Says whether a run still has its job, and keeps it so until the commit. */
export const lockClaim = statement<Pick<Claim, 'job' | 'id' | 'retry_count'>, { mine: 1 }>(
  (p) => sql`select 1 as mine from pgboss.job
   where name = ${p.job} and id = ${p.id}::uuid and state = 'active' and retry_count = ${p.retry_count}::int
     for update`,
)

/** The same, and this hand-out becomes the last one. */
export const endRetries = statement<Pick<Claim, 'job' | 'id' | 'retry_count'>, { mine: 1 }>(
  (p) => sql`update pgboss.job set retry_limit = retry_count
   where name = ${p.job} and id = ${p.id}::uuid and state = 'active' and retry_count = ${p.retry_count}::int
     returning 1 as mine`,
)

/** Touches a bounded number of old rows through an index; the job repeats while it finds any. */
export const sweepEffects = statement<{ days: number; limit: number }, unknown>(
  (p) => sql`delete from jobs.effects where key in (
     select key from jobs.effects where done_at < platform.now() - make_interval(days => ${p.days})
       order by done_at limit ${p.limit})`,
)

/** The engine's own index finds the first job of each queue. */
export const findOldestDue = statement<{ dead: string }, { seconds: number }>(
  (p) => sql`select greatest(0, extract(epoch
     from platform.clock_now() - min(first.start_after)))::float8 as seconds
   from pgboss.queue q cross join lateral (
     select start_after from pgboss.job j
     where j.name = q.name and j.state < 'active' and j.start_after <= platform.clock_now()
     order by start_after limit 1) first
   where q.name <> ${p.dead}`,
)

/** Jobs that gave up, by the queue they came from. */
export const countDead = statement<{ queue: string }, { job: string; dead: number }>(
  (p) => sql`select coalesce(source_name, 'unknown') as job, count(*)::int as dead
   from pgboss.job where name = ${p.queue} and state = 'created' group by 1`,
)
