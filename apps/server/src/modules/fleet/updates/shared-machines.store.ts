import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

// The row of a desk says whether its machine is shared, so that no request looks into another workspace.
const note = statement<{ desk_id: string }, unknown>(
  (p) => sql`with on_machine as (
     select k.brand_id, k.desk_id from fleet.desk_keys k
     where k.released_at is null and k.machine_digest = (
       select own.machine_digest from fleet.desk_keys own where own.desk_id = ${p.desk_id})),
   found as (select count(distinct brand_id) > 1 as is_shared from on_machine)
   update fleet.desks d set shares_machine = found.is_shared
   from on_machine m, found
   where d.brand_id = m.brand_id and d.id = m.desk_id and d.shares_machine <> found.is_shared`,
)

// Where the other workspace was erased, or its desk has moved to another machine, no job tells.
const unmark = statement<{ limit: number }, unknown>(
  (
    p,
  ) => sql`update fleet.desks d set shares_machine = false where d.shares_machine and (d.brand_id, d.id) in (
     select s.brand_id, s.id from fleet.desks s
     where s.shares_machine and not exists (
       select from fleet.desk_keys own join fleet.desk_keys other
         on other.machine_digest = own.machine_digest and other.released_at is null and other.brand_id <> own.brand_id
       where own.brand_id = s.brand_id and own.desk_id = s.id and own.released_at is null)
     order by s.brand_id, s.id limit ${p.limit})`,
)

export const updateUnshared = (ctx: SystemCtx, limit: number) => ctx.overBrands().db.run(unmark, { limit })
export const updateSharedMachine = (ctx: SystemCtx, desk_id: string) =>
  ctx.overBrands().db.run(note, { desk_id })
