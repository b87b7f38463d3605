import type { BrandTx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

export interface HireableRow {
  readonly key: string
  readonly version: number
  readonly name: string
  readonly is_builder: boolean
  readonly is_deployable: boolean
  /** Key of a coder profile; null without a template. */
  readonly coder_profile: string | null
}

const hold = statement<{ profile_id: string }, HireableRow>(
  (p) => sql`select e.key, v.version, v.name, v.is_builder, v.template is not null as is_deployable,
     v.template ->> 'coder_profile' as coder_profile
   from hires.employees e join hires.employee_versions v on v.profile_id = e.profile_id and v.version = e.version
   where e.status = 'published' and e.profile_id = ${p.profile_id} for share of e`,
)

/** It is neither withdrawn nor published anew before the transaction has ended. Before all locks of the workspace. */
export const holdEmployee = (ctx: BrandTx, profile_id: string) => ctx.db.first(hold, { profile_id })
