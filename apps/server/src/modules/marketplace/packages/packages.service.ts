import { isDeepStrictEqual } from 'node:util'
import type {
  Package,
  PackageWithVersions,
  PublishedVersion,
} from '@crewhall/contracts/marketplace/packages.ts'
import * as refused from '@crewhall/contracts/marketplace/refusals.ts'
import { notePlatform } from '#modules/identity'
import type { BrandCtx, OutsideSystemCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import { presentPackage, presentPackageWithVersions, presentVersion } from './packages.present.ts'
import * as store from './packages.store.ts'

interface PageQuery {
  readonly after?: string | undefined
  readonly limit: number
}
interface PackagePage {
  readonly items: Package[]
  readonly next_after: string | null
}

export async function listPackagesFrom(
  ctx: SystemCtx | BrandCtx,
  { after = '', limit }: PageQuery,
  lists_all: boolean,
): Promise<PackagePage> {
  // One row more than asked for shows whether there is a next page.
  const rows = await store.listPackagePage(ctx, { after, limit: limit + 1, lists_all })
  const page = rows.slice(0, limit)
  return {
    items: page.map(presentPackage),
    next_after: rows.length > limit ? (page.at(-1)?.key ?? null) : null,
  }
}

/** Which of these can be installed. */
export const packagesAmong = async (ctx: SystemCtx, keys: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await store.listLiveKeys(ctx, keys)).map(({ key }) => key))

export async function getOnePackage(ctx: BrandCtx, key: string): Promise<PackageWithVersions> {
  const row = known(await store.findPackage(ctx, key))
  return presentPackageWithVersions(row, await store.listVersions(ctx, key, refused.maxVersions))
}

export async function getOneVersion(ctx: BrandCtx, key: string, version: string): Promise<PublishedVersion> {
  const row = await store.findVersion(ctx, key, version)
  if (!row) throw refused.versionNotFound()
  return presentVersion(row)
}

interface Texts {
  readonly title: string
  readonly description: string
  readonly publisher: string
}

export const publishOnePackage = (
  ctx: SystemCtx,
  given: Texts & { readonly key: string },
): Promise<Package> =>
  ctx.tx(async (ctx) => {
    await store.insertPackage(ctx, { ...given, kind: 'http' })
    await notePlatform(ctx, { action: 'package.published', to: given })
    return presentPackage(known(await store.findPackage(ctx, given.key)))
  })

export const changeOnePackage = (
  ctx: SystemCtx,
  key: string,
  given: { readonly [Name in keyof Texts]?: string | undefined },
): Promise<Package> =>
  ctx.tx(async (ctx) => {
    const old = published(await store.lockPackage(ctx, key))
    const { title = old.title, description = old.description, publisher = old.publisher } = given
    const texts = { title, description, publisher }
    await store.updatePackage(ctx, { key, ...texts })
    const from = { title: old.title, description: old.description, publisher: old.publisher }
    if (!isDeepStrictEqual(from, texts))
      await notePlatform(ctx, { action: 'package.changed', from: { key, ...from }, to: { key, ...texts } })
    return presentPackage(known(await store.findPackage(ctx, key)))
  })

interface NewVersion {
  readonly version: string
  readonly url: string
  readonly touches: string[]
  readonly credential: 'none' | 'optional' | 'required'
  readonly methods?: { name: string; since: string; summary: string }[] | undefined
}

export async function publishOneVersion(
  ctx: OutsideSystemCtx,
  outbound: Outbound,
  package_key: string,
  given: NewVersion,
): Promise<PublishedVersion> {
  // An address that is refused now is a mistake; what it leads to later is judged with every call.
  if (!(await outbound.mayCall(ctx, given.url))) throw refused.serverAddressRefused()
  return insertNewVersion(ctx, package_key, given)
}

const insertNewVersion = (
  ctx: SystemCtx,
  package_key: string,
  { version, url, touches, credential, methods = [] }: NewVersion,
): Promise<PublishedVersion> =>
  ctx.tx(async (ctx) => {
    published(await store.lockPackage(ctx, package_key))
    const before = await store.findVersion(ctx, package_key, version)
    const content = { url, touches, credential, methods }
    if (before) {
      const { url, touches, credential, methods } = before
      if (!isDeepStrictEqual({ url, touches, credential, methods }, content)) throw refused.versionPublished()
      return presentVersion(before)
    }
    if ((await store.countVersions(ctx, package_key)) >= refused.maxVersions) throw refused.tooManyVersions()
    const row = await store.insertVersion(ctx, { package_key, version, ...content })
    if (!row) throw refused.versionPublished()
    await notePlatform(ctx, { action: 'package.version_published', to: { key: package_key, version, url } })
    return presentVersion(row)
  })

/** `told` pushes it out of all processes, after the commit. */
export async function withdrawOneVersion(
  ctx: SystemCtx,
  package_key: string,
  version: string,
  told: () => void,
): Promise<PublishedVersion> {
  const row = await ctx.tx(async (ctx) => {
    const found = await store.lockPackage(ctx, package_key)
    if (!found) throw refused.versionNotFound()
    published(found)
    const before = await store.findVersion(ctx, package_key, version)
    const after = await store.updateWithdrawn(ctx, package_key, version)
    if (!before || !after) throw refused.versionNotFound()
    if (before.withdrawn_at === null)
      await notePlatform(ctx, { action: 'package.version_withdrawn', to: { key: package_key, version } })
    return after
  })
  told()
  return presentVersion(row)
}

function known(row: store.PackageRow | undefined): store.PackageRow {
  if (!row) throw refused.packageNotFound()
  return row
}

function published(row: store.PackageRow | undefined): store.PackageRow {
  if (known(row).kind === 'builtin') throw refused.packageBuiltIn()
  return known(row)
}
