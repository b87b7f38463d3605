import { employeeChanged } from '@crewhall/contracts/hires/refusals.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { changeDraftNaively } from './probe-employees.contract.ts'

const read = statement<{ profile_id: string }, { revision: number }>(
  (p) => sql`select revision from hires.employees where profile_id = ${p.profile_id}`,
)
const write = statement<{ profile_id: string; name: string }, unknown>(
  (p) => sql`update hires.employee_versions set name = ${p.name}
   where profile_id = ${p.profile_id} and published_at is null`,
)
const raise = statement<{ profile_id: string }, unknown>(
  (p) => sql`update hires.employees set revision = revision + 1 where profile_id = ${p.profile_id}`,
)

export const probeEmployeesMounted = () => [
  handle(changeDraftNaively, (ctx, { params: { profile_id }, body: { revision, name } }) =>
    ctx.tx(async (ctx) => {
      const found = await ctx.db.first(read, { profile_id })
      if (found?.revision !== revision) throw employeeChanged()
      await ctx.db.run(write, { profile_id, name })
      await ctx.db.run(raise, { profile_id })
      return {}
    }),
  ),
]
