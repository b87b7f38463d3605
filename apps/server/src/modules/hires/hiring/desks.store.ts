import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

interface EarlierRow {
  readonly project_id: string | null
  /** Null if another hire that runs has it. */
  readonly free_desk_id: string | null
}

const earlier = brandStatement<{ profile_id: string; id: string }, EarlierRow>(
  (p) => sql`select project_id, case when not exists (
       select from hires.hires r
       where r.brand_id = h.brand_id and r.desk_id = h.desk_id and r.ended_at is null) then desk_id end as free_desk_id
   from hires.hires h
   where brand_id = ${p.brand_id} and profile_id = ${p.profile_id} and id <> ${p.id} and desk_id is not null
   order by id desc limit 1`,
)

/** The last hire of the same employee that had a desk. */
export const findEarlierDesk = (ctx: BrandTx, profile_id: string, id: string) =>
  ctx.db.first(earlier, { profile_id, id })
