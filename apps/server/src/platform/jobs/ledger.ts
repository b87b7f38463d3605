import { sqlStatement } from '#platform/db/statement.ts'

/** One statement for a whole batch: each job gets a number above all numbers given before. */
export const takeFences = sqlStatement<{ job_ids: readonly string[] }, { job_id: string; fence: number }>(
  `insert into jobs.fences (job_id, fence)
   select job_id, nextval('jobs.fence_numbers') from unnest($1::uuid[]) as t (job_id)
   on conflict (job_id) do update set fence = excluded.fence, taken_at = platform.now()
   returning job_id, fence`,
  'job_ids',
)

export const dropFences = sqlStatement<{ job_ids: readonly string[]; fences: readonly number[] }, unknown>(
  `delete from jobs.fences f using unnest($1::uuid[], $2::bigint[]) as t (job_id, fence)
   where f.job_id = t.job_id and f.fence = t.fence`,
  'job_ids',
  'fences',
)

/**
 * Writes the key of an effect, unless the effect is done or a newer run of the job has begun. The share
 * lock keeps a newer run from starting between this look and the commit.
 */
export const claimEffect = sqlStatement<{ key: string; job_id: string; fence: number }, { key: string }>(
  `with mine as (select 1 from jobs.fences where job_id = $2::uuid and fence = $3::bigint for share)
   insert into jobs.effects (key, job_id, fence) select $1, $2::uuid, $3::bigint from mine
   on conflict (key) do nothing
   returning key`,
  'key',
  'job_id',
  'fence',
)

/** Both deletes touch a bounded number of old rows through an index; the job repeats while they find any. */
export const sweepEffects = sqlStatement<{ days: number; limit: number }, unknown>(
  `delete from jobs.effects where key in (
     select key from jobs.effects where done_at < platform.now() - make_interval(days => $1) order by done_at limit $2)`,
  'days',
  'limit',
)

export const sweepFences = sqlStatement<{ days: number; limit: number }, unknown>(
  `delete from jobs.fences where job_id in (
     select job_id from jobs.fences where taken_at < platform.now() - make_interval(days => $1) order by taken_at limit $2)`,
  'days',
  'limit',
)
