import type { BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import type { Pinned } from '../installs/installs.store.ts'

export interface DueInstall {
  readonly brand_id: number
  readonly id: string
  readonly package_key: string
  readonly version: string
  readonly digest: string
  readonly failures: number
}
interface One {
  readonly id: string
}

// Taken with the next time in one step: two workers share the work, and whatever dies with one comes again.
const take = statement<{ limit: number; again_seconds: number }, DueInstall>(
  (p) => sql`update marketplace.installs i set next_check_at = platform.clock_now()
     + make_interval(secs => ${p.again_seconds}::int)
   from (select brand_id, id from marketplace.installs where next_check_at <= platform.clock_now()
     order by next_check_at limit ${p.limit} for update skip locked) due
   where i.brand_id = due.brand_id and i.id = due.id
   returning i.brand_id, i.id, i.package_key, i.version, i.digest, i.failures`,
)
const unchanged = brandStatement<One & { seconds: number; digest: string }, unknown>(
  (p) => sql`update marketplace.installs set checked_at = platform.now(), failures = 0, found_tools = null,
     found_digest = null, next_check_at = case when is_enabled then platform.now() + make_interval(secs => ${p.seconds}::int) end
   where brand_id = ${p.brand_id} and id = ${p.id} and digest = ${p.digest}`,
)
const changed = brandStatement<One & { seconds: number; tools: string; found: string }, unknown>(
  (p) => sql`update marketplace.installs set checked_at = platform.now(), failures = 0,
     found_tools = ${p.tools}::jsonb, found_digest = ${p.found}, updated_at = platform.now(),
     next_check_at = case when is_enabled then platform.now() + make_interval(secs => ${p.seconds}::int) end
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const failed = brandStatement<One & { seconds: number }, unknown>(
  (p) => sql`update marketplace.installs set failures = failures + 1,
     next_check_at = case when is_enabled then platform.now() + make_interval(secs => ${p.seconds}::int) end
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)

/** Over all brands, in the order in which they are due. */
export const takeDue = (ctx: SystemCtx, limit: number, again_seconds: number) =>
  ctx.overBrands().db.all(take, { limit, again_seconds })
export const updateUnchanged = (ctx: BrandTx, id: string, digest: string, seconds: number) =>
  ctx.db.run(unchanged, { id, digest, seconds })
export const updateFound = (ctx: BrandTx, id: string, { tools, digest }: Pinned, seconds: number) =>
  ctx.db.run(changed, { id, tools: JSON.stringify(tools), found: digest, seconds })
export const updateFailed = (ctx: BrandTx, id: string, seconds: number) => ctx.db.run(failed, { id, seconds })
