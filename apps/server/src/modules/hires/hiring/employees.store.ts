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

type Profile = { readonly profile_id: string }
const hold = statement<Profile, Pick<HireableRow, 'key' | 'version'>>(
  (p) => sql`select key, version from hires.employees
   where status = 'published' and profile_id = ${p.profile_id} for share`,
)
// By a second statement: one that waited for a publication would still see the versions of before, and find none.
const version = statement<Profile & { version: number }, Omit<HireableRow, 'key' | 'version'>>(
  (p) => sql`select name, is_builder, template is not null as is_deployable,
     template ->> 'coder_profile' as coder_profile
   from hires.employee_versions where profile_id = ${p.profile_id} and version = ${p.version}`,
)

/** It is neither withdrawn nor published anew before the transaction has ended. Before all locks of the workspace. */
export async function holdEmployee(ctx: BrandTx, profile_id: string): Promise<HireableRow | undefined> {
  const held = await ctx.db.first(hold, { profile_id })
  const found = held && (await ctx.db.first(version, { profile_id, version: held.version }))
  return found && { ...held, ...found }
}
