import type { PinnedTool } from '@crewhall/contracts/marketplace/installs.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface GrantRow {
  readonly install_id: string
  readonly package_key: string
  readonly kind: 'builtin' | 'http'
  readonly version: string
  readonly url: string | null
  readonly digest: string
}

// What the agent may use: enabled, not withdrawn, not changed, and granted to everyone, to it, or by its hire.
const list = brandStatement<{ agent_id: string | null; limit: number }, GrantRow>(
  (p) => sql`select i.id as install_id, i.package_key, i.kind, i.version, v.url, i.digest
   from marketplace.installs i
   join marketplace.package_versions v on v.package_key = i.package_key and v.version = i.version
   where i.brand_id = ${p.brand_id} and i.is_enabled and i.found_digest is null and v.withdrawn_at is null
     and (i.is_for_everyone
       or exists (select from marketplace.grants g
         where g.brand_id = ${p.brand_id} and g.install_id = i.id and g.agent_id = ${p.agent_id}::text)
       or exists (select from marketplace.install_refs r
         where r.brand_id = ${p.brand_id} and r.package_key = i.package_key and r.agent_id = ${p.agent_id}::text))
   order by i.package_key limit ${p.limit}`,
)
const pinned = brandStatement<{ id: string; digest: string }, { tools: PinnedTool[] }>(
  (p) => sql`select tools from marketplace.installs
   where brand_id = ${p.brand_id} and id = ${p.id} and digest = ${p.digest}`,
)

export const listGranted = (ctx: BrandCtx, agent_id: string | null, limit: number) =>
  ctx.db.all(list, { agent_id, limit })
export const findPinned = (ctx: BrandCtx, id: string, digest: string) => ctx.db.first(pinned, { id, digest })
