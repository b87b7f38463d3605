import { type Advisory, listVersions, type Snapshot } from './advisory-check.ts'
import type { Lock } from './lock-check.ts'

const patience_ms = 60_000

/**
 * Asks what `npm audit` asks. Its own answer is folded into the packages that depend on vulnerable ones, for which it
 * fetches each of them; the ranges of the registry are enough for a lock that lists all versions.
 */
export const askAdvisories = async (registry: string, lock: Lock, now: Date): Promise<Snapshot> => {
  const response = await fetch(
    `${registry.endsWith('/') ? registry : `${registry}/`}-/npm/v1/security/advisories/bulk`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(listVersions(lock, () => true)),
      signal: AbortSignal.timeout(patience_ms),
    },
  )
  if (!response.ok) throw new Error(`the registry answered ${response.status}`)
  const told = (await response.json()) as Record<string, Advisory[]>
  const names = Object.keys(told).sort()
  const advisories = Object.fromEntries(names.map((name) => [name, (told[name] ?? []).map(plain)]))
  return { taken_at: now.toISOString(), advisories }
}

const plain = ({ id, url, title, severity, vulnerable_versions }: Advisory): Advisory => ({
  id,
  url,
  title,
  severity,
  vulnerable_versions,
})
