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

export const updateSharedMachine = (ctx: SystemCtx, desk_id: string) =>
  ctx.overBrands().db.run(note, { desk_id })
