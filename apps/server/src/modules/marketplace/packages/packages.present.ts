import type {
  Package,
  PackageWithVersions,
  PublishedVersion,
} from '@crewhall/contracts/marketplace/packages.ts'
import type { PackageRow, VersionRow, VersionSummaryRow } from './packages.store.ts'

export function presentPackage(row: PackageRow): Package {
  const { key, kind, title, description, publisher, latest_version, created_at, updated_at } = row
  return { key, kind, title, description, publisher, latest_version, created_at, updated_at }
}

export const presentPackageWithVersions = (
  row: PackageRow,
  versions: readonly VersionSummaryRow[],
): PackageWithVersions => ({
  ...presentPackage(row),
  versions: versions.map(({ version, method_count, touches, credential, published_at, withdrawn_at }) => ({
    version,
    method_count,
    touches,
    credential,
    published_at,
    withdrawn_at,
  })),
})

export function presentVersion(row: VersionRow): PublishedVersion {
  const { package_key, version, touches, url, credential, methods, published_at, withdrawn_at } = row
  const facts = { package_key, version, touches, url, credential, published_at, withdrawn_at }
  return { ...facts, method_count: methods.length, methods }
}
