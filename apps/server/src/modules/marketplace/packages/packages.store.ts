import { packageExists } from '@crewhall/contracts/marketplace/refusals.ts'
import type { BrandCtx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { sql, statement } from '#platform/db/statement.ts'

export interface PackageRow {
  readonly key: string
  readonly kind: 'builtin' | 'http'
  readonly title: string
  readonly description: string
  readonly publisher: string
  readonly latest_version: string | null
  readonly created_at: string
  readonly updated_at: string
}

export interface VersionRow {
  readonly package_key: string
  readonly version: string
  readonly touches: string[]
  readonly methods: { readonly name: string; readonly since: string; readonly summary: string }[]
  readonly url: string | null
  readonly credential: 'none' | 'optional' | 'required'
  readonly published_at: string
  readonly withdrawn_at: string | null
}
export type VersionSummaryRow = Omit<VersionRow, 'methods' | 'url'> & { readonly method_count: number }

interface Texts {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly publisher: string
}
export type NewPackage = Texts & Pick<PackageRow, 'kind'>
export type NewVersion = Omit<VersionRow, 'published_at' | 'withdrawn_at'>
type VersionParams = Omit<NewVersion, 'methods'> & { readonly methods: string }
interface Named {
  readonly package_key: string
  readonly version: string
}
interface Page {
  readonly after: string
  readonly limit: number
  readonly lists_all: boolean
}

const newestFirst = `string_to_array(version, '.')::int[] desc`
const latest = `(select v.version from marketplace.package_versions v
   where v.package_key = p.key and v.withdrawn_at is null order by ${newestFirst} limit 1) as latest_version`
const packageColumns = `p.key, p.kind, p.title, p.description, p.publisher, ${latest}, p.created_at, p.updated_at`
const versionColumns = 'package_key, version, touches, methods, url, credential, published_at, withdrawn_at'

const page = statement<Page, PackageRow>(
  (p) => sql`select ${packageColumns} from marketplace.packages p
   where p.key > ${p.after} and (${p.lists_all} or exists (select from marketplace.package_versions v
     where v.package_key = p.key and v.withdrawn_at is null))
   order by p.key limit ${p.limit}`,
)
const live = statement<{ keys: readonly string[] }, { key: string }>(
  (p) => sql`select p.key from marketplace.packages p where p.key = any(${p.keys}) and exists (
     select from marketplace.package_versions v where v.package_key = p.key and v.withdrawn_at is null)`,
)
const find = statement<{ key: string }, PackageRow>(
  (p) => sql`select ${packageColumns} from marketplace.packages p where p.key = ${p.key}`,
)
const lock = statement<{ key: string }, PackageRow>(
  (p) => sql`select ${packageColumns} from marketplace.packages p where p.key = ${p.key} for update of p`,
)
const add = statement<NewPackage, { key: string }>(
  (p) => sql`insert into marketplace.packages (key, kind, title, description, publisher)
   values (${p.key}, ${p.kind}, ${p.title}, ${p.description}, ${p.publisher}) returning key`,
)
const change = statement<Texts, { key: string }>(
  (p) => sql`update marketplace.packages set title = ${p.title}, description = ${p.description},
     publisher = ${p.publisher}, updated_at = platform.now() where key = ${p.key} returning key`,
)
// What the code says is true: an older server that is started again says what it said before.
const putBuiltIn = statement<Texts, unknown>(
  (p) => sql`insert into marketplace.packages as b (key, kind, title, description, publisher)
   values (${p.key}, 'builtin', ${p.title}, ${p.description}, ${p.publisher})
   on conflict (key) do update set title = excluded.title, description = excluded.description,
     publisher = excluded.publisher, kind = excluded.kind, updated_at = platform.now()
   where (b.title, b.description, b.publisher, b.kind)
     is distinct from (excluded.title, excluded.description, excluded.publisher, excluded.kind)`,
)
const putBuiltInVersion = statement<VersionParams, unknown>(
  (
    p,
  ) => sql`insert into marketplace.package_versions as b (package_key, version, touches, methods, url, credential)
   values (${p.package_key}, ${p.version}, ${p.touches}, ${p.methods}::jsonb, ${p.url}, ${p.credential})
   on conflict (package_key, version) do update set touches = excluded.touches, methods = excluded.methods,
     url = excluded.url, credential = excluded.credential
   where (b.touches, b.methods, b.url, b.credential)
     is distinct from (excluded.touches, excluded.methods, excluded.url, excluded.credential)`,
)
const summaries = statement<{ key: string; limit: number }, VersionSummaryRow>(
  (p) => sql`select package_key, version, touches, jsonb_array_length(methods) as method_count, credential,
     published_at, withdrawn_at
   from marketplace.package_versions where package_key = ${p.key} order by ${newestFirst} limit ${p.limit}`,
)
const findOne = statement<Named, VersionRow>(
  (p) => sql`select ${versionColumns} from marketplace.package_versions
   where package_key = ${p.package_key} and version = ${p.version}`,
)
// Whoever installs holds the version: one that is being withdrawn waits, or is seen as withdrawn.
const hold = statement<Named, VersionRow>(
  (p) => sql`select ${versionColumns} from marketplace.package_versions
   where package_key = ${p.package_key} and version = ${p.version} for share`,
)
const countOf = statement<{ key: string }, { count: number }>(
  (p) => sql`select count(*)::int as count from marketplace.package_versions where package_key = ${p.key}`,
)
const addVersion = statement<VersionParams, VersionRow>(
  (
    p,
  ) => sql`insert into marketplace.package_versions (package_key, version, touches, methods, url, credential)
   values (${p.package_key}, ${p.version}, ${p.touches}, ${p.methods}::jsonb, ${p.url}, ${p.credential})
   returning ${versionColumns}`,
)
const withdraw = statement<Named, VersionRow>(
  (p) => sql`update marketplace.package_versions set withdrawn_at = coalesce(withdrawn_at, platform.now())
   where package_key = ${p.package_key} and version = ${p.version} returning ${versionColumns}`,
)

type AnyCtx = Pick<SystemCtx | BrandCtx, 'db'>

/** Packages belong to the installation, so every workspace reads the same rows. */
export const listPackagePage = (ctx: AnyCtx, asked: Page) => ctx.db.all(page, { ...asked })
export const listLiveKeys = (ctx: AnyCtx, keys: readonly string[]) => ctx.db.all(live, { keys })
export const findPackage = (ctx: AnyCtx, key: string) => ctx.db.first(find, { key })
export const lockPackage = (ctx: SystemTx, key: string) => ctx.db.first(lock, { key })
export const insertPackage = async (ctx: SystemTx, given: NewPackage) => {
  try {
    return await ctx.db.first(add, given)
  } catch (error) {
    throw violates(error, 'packages_pkey') ? packageExists() : error
  }
}
export const updatePackage = (ctx: SystemTx, { key, title, description, publisher }: Texts) =>
  ctx.db.first(change, { key, title, description, publisher })
export const upsertBuiltIn = (ctx: SystemTx, { key, title, description, publisher }: Texts) =>
  ctx.db.run(putBuiltIn, { key, title, description, publisher })
export const upsertBuiltInVersion = (ctx: SystemTx, given: NewVersion) =>
  ctx.db.run(putBuiltInVersion, { ...given, methods: JSON.stringify(given.methods) })
export const listVersions = (ctx: AnyCtx, key: string, limit: number) => ctx.db.all(summaries, { key, limit })
export const findVersion = (ctx: AnyCtx, package_key: string, version: string) =>
  ctx.db.first(findOne, { package_key, version })
export const holdVersion = (ctx: AnyCtx, package_key: string, version: string) =>
  ctx.db.first(hold, { package_key, version })
export const countVersions = async (ctx: SystemTx, key: string) =>
  (await ctx.db.first(countOf, { key }))?.count ?? 0
export const insertVersion = (ctx: SystemTx, given: NewVersion) =>
  ctx.db.first(addVersion, { ...given, methods: JSON.stringify(given.methods) })
export const updateWithdrawn = (ctx: SystemTx, package_key: string, version: string) =>
  ctx.db.first(withdraw, { package_key, version })
