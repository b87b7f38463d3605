import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

export interface DueRemote {
  readonly brand_id: number
  readonly project_id: string
}
// Taken by one worker: the next time is set with the choice.
const take = statement<{ minutes: number; limit: number }, DueRemote>(
  (p) => sql`update code_index.repositories r
   set next_check_at = platform.now() + make_interval(mins => ${p.minutes}::int)
   from (select d.brand_id, d.project_id from code_index.repositories d
     join code_index.projects j on j.brand_id = d.brand_id and j.id = d.project_id and j.archived_at is null
     where d.next_check_at <= platform.now() order by d.next_check_at limit ${p.limit}
     for update of d skip locked) due
   where r.brand_id = due.brand_id and r.project_id = due.project_id returning r.brand_id, r.project_id`,
)

/** Over all brands: whose turn it is, is a matter of time alone. */
export const takeDueRemotes = (ctx: SystemCtx, minutes: number, limit: number) =>
  ctx.overBrands().db.all(take, { minutes, limit })
