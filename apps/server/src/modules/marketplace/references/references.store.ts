import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface LockedInstall {
  readonly id: string
  readonly package_key: string
  readonly origin: 'workspace' | 'hire'
  readonly is_enabled: boolean
}
interface Hire {
  readonly hire_id: string
}

// In the order of packages, so that two hires that end together wait for each other once and not in a circle.
const lockOfHire = brandStatement<Hire, LockedInstall>(
  (p) => sql`select i.id, i.package_key, i.origin, i.is_enabled from marketplace.installs i
   where i.brand_id = ${p.brand_id} and i.package_key in (select r.package_key from marketplace.install_refs r
     where r.brand_id = ${p.brand_id} and r.hire_id = ${p.hire_id})
   order by i.package_key for update of i`,
)
const lockNamed = brandStatement<{ keys: readonly string[] }, LockedInstall>(
  (p) => sql`select i.id, i.package_key, i.origin, i.is_enabled from marketplace.installs i
   where i.brand_id = ${p.brand_id} and i.package_key = any(${p.keys}::text[])
   order by i.package_key for update of i`,
)
const add = brandStatement<Hire & { package_key: string; agent_id: string }, unknown>(
  (p) => sql`insert into marketplace.install_refs (brand_id, package_key, hire_id, agent_id)
   values (${p.brand_id}, ${p.package_key}, ${p.hire_id}, ${p.agent_id}) on conflict do nothing`,
)
const remove = brandStatement<Hire, unknown>(
  (p) => sql`delete from marketplace.install_refs where brand_id = ${p.brand_id} and hire_id = ${p.hire_id}`,
)
const used = brandStatement<{ keys: readonly string[] }, { package_key: string }>(
  (p) => sql`select distinct package_key from marketplace.install_refs
   where brand_id = ${p.brand_id} and package_key = any(${p.keys}::text[])`,
)

export const lockInstallsOfHire = (ctx: BrandTx, hire_id: string) => ctx.db.all(lockOfHire, { hire_id })
export const lockInstallsOf = (ctx: BrandTx, keys: readonly string[]) => ctx.db.all(lockNamed, { keys })
/** Whether it was not there before. */
export const insertReference = async (
  ctx: BrandTx,
  reference: { readonly package_key: string; readonly hire_id: string; readonly agent_id: string },
): Promise<boolean> => (await ctx.db.run(add, reference)) > 0
export const deleteReferences = (ctx: BrandTx, hire_id: string) => ctx.db.run(remove, { hire_id })
export const listUsed = async (ctx: BrandTx, keys: readonly string[]): Promise<Set<string>> =>
  new Set((await ctx.db.all(used, { keys })).map(({ package_key }) => package_key))
