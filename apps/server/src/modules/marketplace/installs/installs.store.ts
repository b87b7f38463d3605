import type { PinnedTool } from '@crewhall/contracts/marketplace/installs.ts'
import { alreadyInstalled } from '@crewhall/contracts/marketplace/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface InstallRow {
  readonly id: string
  readonly package_key: string
  readonly version: string
  readonly kind: 'builtin' | 'http'
  readonly is_enabled: boolean
  readonly origin: 'workspace' | 'hire'
  readonly is_for_everyone: boolean
  readonly has_credential: boolean
  readonly tool_count: number
  readonly digest: string
  readonly found_digest: string | null
  readonly agent_count: number
  readonly hire_count: number
  readonly checked_at: string | null
  readonly created_at: string
  readonly updated_at: string
}

export interface InstallTools {
  readonly tools: PinnedTool[]
  readonly found_tools: PinnedTool[] | null
  readonly agent_ids: string[]
}

export interface Pinned {
  readonly tools: readonly PinnedTool[]
  readonly digest: string
}

export interface NewInstall extends Pinned {
  readonly id: string
  readonly package_key: string
  readonly version: string
  readonly kind: 'builtin' | 'http'
  readonly origin: 'workspace' | 'hire'
  readonly is_for_everyone: boolean
  readonly credential: Buffer | null
  /** When its server is asked again; null where there is none. */
  readonly check_seconds: number | null
}

interface One {
  readonly id: string
}

const columns = `i.id, i.package_key, i.version, i.kind, i.is_enabled, i.origin, i.is_for_everyone,
   i.credential is not null as has_credential, jsonb_array_length(i.tools) as tool_count, i.digest, i.found_digest,
   (select count(*)::int from marketplace.grants g where g.brand_id = i.brand_id and g.install_id = i.id)
     as agent_count,
   (select count(*)::int from marketplace.install_refs r
    where r.brand_id = i.brand_id and r.package_key = i.package_key) as hire_count,
   i.checked_at, i.created_at, i.updated_at`

// Serializes additions, so that two at once cannot both take the last place.
const turn = brandStatement<object, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('marketplace.installs'), ${p.brand_id})`,
)
const count = brandStatement<object, { count: number }>(
  (p) => sql`select count(*)::int as count from marketplace.installs where brand_id = ${p.brand_id}`,
)
const list = brandStatement<{ limit: number }, InstallRow>(
  (p) => sql`select ${columns} from marketplace.installs i where i.brand_id = ${p.brand_id}
   order by i.package_key limit ${p.limit}`,
)
const find = brandStatement<One, InstallRow>(
  (p) =>
    sql`select ${columns} from marketplace.installs i where i.brand_id = ${p.brand_id} and i.id = ${p.id}`,
)
const lock = brandStatement<One, InstallRow>(
  (p) => sql`select ${columns} from marketplace.installs i where i.brand_id = ${p.brand_id} and i.id = ${p.id}
   for update of i`,
)
const lockPackage = brandStatement<{ package_key: string }, InstallRow>(
  (p) => sql`select ${columns} from marketplace.installs i
   where i.brand_id = ${p.brand_id} and i.package_key = ${p.package_key} for update of i`,
)
const tools = brandStatement<One, InstallTools>(
  (p) => sql`select i.tools, i.found_tools, coalesce((select array_agg(g.agent_id order by g.agent_id)
     from marketplace.grants g where g.brand_id = i.brand_id and g.install_id = i.id), '{}') as agent_ids
   from marketplace.installs i where i.brand_id = ${p.brand_id} and i.id = ${p.id}`,
)
const add = brandStatement<Omit<NewInstall, 'tools'> & { tools: string }, { id: string }>(
  (
    p,
  ) => sql`insert into marketplace.installs (brand_id, id, package_key, version, kind, origin, is_for_everyone,
     credential, tools, digest, next_check_at, checked_at)
   values (${p.brand_id}, ${p.id}, ${p.package_key}, ${p.version}, ${p.kind}, ${p.origin}, ${p.is_for_everyone},
     ${p.credential}, ${p.tools}::jsonb, ${p.digest},
     platform.now() + make_interval(secs => ${p.check_seconds}::int),
     case when ${p.check_seconds}::int is not null then platform.now() end)
   returning id`,
)
// The server of a package that is disabled is not asked: whoever disables one may not trust it any more.
const enable = brandStatement<One & { is_enabled: boolean; origin: string }, unknown>(
  (p) => sql`update marketplace.installs set is_enabled = ${p.is_enabled}, origin = ${p.origin},
     updated_at = platform.now(),
     next_check_at = case when ${p.is_enabled} and kind = 'http' then platform.now() end
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const setEveryone = brandStatement<One & { is_for_everyone: boolean }, unknown>(
  (p) => sql`update marketplace.installs set is_for_everyone = ${p.is_for_everyone}, origin = 'workspace',
     updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
// Asked again soon: what a server offers may depend on who asks.
const setCredential = brandStatement<One & { credential: Buffer | null }, unknown>(
  (p) => sql`update marketplace.installs set credential = ${p.credential}, origin = 'workspace',
     updated_at = platform.now(), failures = 0,
     next_check_at = case when next_check_at is null then null else platform.now() end
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const setVersion = brandStatement<
  One & { version: string; tools: string; digest: string; check_seconds: number | null },
  unknown
>(
  (
    p,
  ) => sql`update marketplace.installs set version = ${p.version}, tools = ${p.tools}::jsonb, digest = ${p.digest},
     found_tools = null, found_digest = null, origin = 'workspace', updated_at = platform.now(), failures = 0,
     next_check_at = case when is_enabled then platform.now() + make_interval(secs => ${p.check_seconds}::int) end,
     checked_at = case when ${p.check_seconds}::int is null then checked_at else platform.now() end
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const approve = brandStatement<One, unknown>(
  (p) => sql`update marketplace.installs set tools = found_tools, digest = found_digest, found_tools = null,
     found_digest = null, origin = 'workspace', updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id} and found_tools is not null`,
)
const remove = brandStatement<One, unknown>(
  (p) => sql`delete from marketplace.installs where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const clearGrants = brandStatement<One & { kept: readonly string[] }, unknown>(
  (p) => sql`delete from marketplace.grants where brand_id = ${p.brand_id} and install_id = ${p.id}
     and agent_id <> all(${p.kept}::text[])`,
)
const addGrants = brandStatement<One & { agent_ids: readonly string[] }, unknown>(
  (p) => sql`insert into marketplace.grants (brand_id, install_id, agent_id)
   select ${p.brand_id}, ${p.id}, agent_id from unnest(${p.agent_ids}::text[]) as given (agent_id) order by agent_id
   on conflict do nothing`,
)
const dropAgent = brandStatement<{ agent_id: string }, unknown>(
  (p) => sql`delete from marketplace.grants where brand_id = ${p.brand_id} and agent_id = ${p.agent_id}`,
)
const sealed = brandStatement<One, { credential: Buffer | null }>(
  (p) => sql`select credential from marketplace.installs where brand_id = ${p.brand_id} and id = ${p.id}`,
)

export const lockInstalls = (ctx: BrandTx) => ctx.db.run(turn, {})
export const countInstalls = async (ctx: BrandCtx) => (await ctx.db.first(count, {}))?.count ?? 0
export const listInstalls = (ctx: BrandCtx, limit: number) => ctx.db.all(list, { limit })
export const findInstall = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const lockInstall = (ctx: BrandTx, id: string) => ctx.db.first(lock, { id })
export const lockInstallOf = (ctx: BrandTx, package_key: string) => ctx.db.first(lockPackage, { package_key })
export const findTools = (ctx: BrandCtx, id: string) => ctx.db.first(tools, { id })
export const insertInstall = async (ctx: BrandTx, install: NewInstall) => {
  try {
    return await ctx.db.first(add, { ...install, tools: JSON.stringify(install.tools) })
  } catch (error) {
    throw violates(error, 'installs_package_key') ? alreadyInstalled() : error
  }
}
export const updateEnabled = (
  ctx: BrandTx,
  id: string,
  to: { readonly is_enabled: boolean; readonly origin: 'workspace' | 'hire' },
) => ctx.db.run(enable, { id, ...to })
export const updateEveryone = (ctx: BrandTx, id: string, is_for_everyone: boolean) =>
  ctx.db.run(setEveryone, { id, is_for_everyone })
export const updateCredential = (ctx: BrandTx, id: string, credential: Buffer | null) =>
  ctx.db.run(setCredential, { id, credential })
export const updateVersion = (
  ctx: BrandTx,
  id: string,
  { tools, ...to }: Pinned & { readonly version: string; readonly check_seconds: number | null },
) => ctx.db.run(setVersion, { id, ...to, tools: JSON.stringify(tools) })
export const updateApproved = (ctx: BrandTx, id: string) => ctx.db.run(approve, { id })
export const deleteInstall = (ctx: BrandTx, id: string) => ctx.db.run(remove, { id })
export const deleteGrantsBut = (ctx: BrandTx, id: string, kept: readonly string[]) =>
  ctx.db.run(clearGrants, { id, kept })
export const insertGrants = (ctx: BrandTx, id: string, agent_ids: readonly string[]) =>
  ctx.db.run(addGrants, { id, agent_ids })
export const deleteGrantsOf = (ctx: BrandTx, agent_id: string) => ctx.db.run(dropAgent, { agent_id })
export const findSealed = (ctx: BrandCtx, id: string) => ctx.db.first(sealed, { id })
