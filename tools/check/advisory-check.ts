import { satisfies } from 'semver'
import type { Lock } from './lock-check.ts'
import type { Violation } from './repo-files.ts'

/** As the registry gives it; more fields are left out. */
export type Advisory = {
  id: number
  url: string
  title: string
  severity: string
  vulnerable_versions: string
}
export type Snapshot = { taken_at: string; advisories: Record<string, Advisory[]> }
/** An advisory that does not concern us, by its address. */
export type Accepted = { url: string; reason: string }

export const snapshotPath = 'tools/check/advisories.json'
const accepted: readonly Accepted[] = []
const oldDays = 14
const day_ms = 86_400_000

/** Versions of packages that are installed from the registry, by name. */
export const listVersions = (lock: Lock, isWanted: (isDevelopment: boolean) => boolean) => {
  const versions: Record<string, string[]> = {}
  for (const [path, { version, link, dev }] of Object.entries(lock.packages ?? {})) {
    if (!path.includes('node_modules/') || link === true || version === undefined) continue
    if (!isWanted(dev === true)) continue
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    versions[name] = [...new Set([...(versions[name] ?? []), version])]
  }
  return versions
}

/** High and critical advisories for what production installs. */
export const checkAdvisories = (
  lock: Lock,
  { advisories }: Snapshot,
  list: readonly Accepted[] = accepted,
): Violation[] => {
  const found = Object.entries(listVersions(lock, (isDevelopment) => !isDevelopment)).flatMap(
    ([name, versions]) =>
      (advisories[name] ?? [])
        .filter(({ severity }) => severity === 'high' || severity === 'critical')
        .flatMap((advisory) =>
          versions
            .filter((version) => isVulnerable(version, advisory))
            .map((version) => ({ ...advisory, name, version })),
        ),
  )
  const open = found.filter(({ url }) => !list.some((each) => each.url === url && each.reason.trim() !== ''))
  const stale = list.filter(({ url }) => found.every((each) => each.url !== url))
  return [
    ...open.map(({ name, version, severity, title, url }) => ({
      path: 'package-lock.json',
      line: 1,
      rule: 'advisory',
      message: `${name} ${version} is ${severity}: ${title} (${url})`,
    })),
    ...stale.map(({ url }) => ({
      path: snapshotPath,
      line: 1,
      rule: 'advisory-list',
      message: `${url} is accepted, but concerns nothing that is installed; take it off the list`,
    })),
  ]
}

const isVulnerable = (version: string, { vulnerable_versions }: Advisory): boolean =>
  satisfies(version, vulnerable_versions, { includePrerelease: true })

/** What the check prints of the snapshot. It warns of an old one, and does not fail: only the network can mend that. */
export const describeSnapshot = (snapshot: Snapshot | undefined, now: Date): string => {
  if (!snapshot) return 'no snapshot of advisories: run npm run advisories'
  const days = Math.floor((now.getTime() - Date.parse(snapshot.taken_at)) / day_ms)
  const warning = days > oldDays ? ', which is too old: run npm run advisories' : ''
  return `advisories as of ${days} days ago${warning}`
}
