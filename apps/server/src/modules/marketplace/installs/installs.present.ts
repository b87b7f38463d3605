import type { Install, InstallDetails } from '@crewhall/contracts/marketplace/installs.ts'
import type { InstallRow, InstallTools } from './installs.store.ts'

export function presentInstall(row: InstallRow): Install {
  const { id, package_key, kind, version, origin, has_credential, tool_count } = row
  const { agent_count, hire_count, checked_at, created_at, updated_at } = row
  return {
    id,
    package_key,
    kind,
    version,
    enabled: row.is_enabled,
    origin,
    state: stateOf(row),
    everyone: row.is_for_everyone,
    agent_count,
    hire_count,
    has_credential,
    tool_count,
    checked_at,
    created_at,
    updated_at,
  }
}

export function presentDetails(
  row: InstallRow,
  { tools, found_tools, agent_ids }: InstallTools,
): InstallDetails {
  const { found_digest } = row
  const found =
    found_digest === null || found_tools === null ? null : { digest: found_digest, tools: found_tools }
  return { ...presentInstall(row), agent_ids, tools, found }
}

export const stateOf = ({ found_digest }: Pick<InstallRow, 'found_digest'>): Install['state'] =>
  found_digest === null ? 'active' : 'changed'

/** For the audit log: what was decided, and no credential. */
export const auditedInstall = (row: InstallRow, agent_ids: readonly string[] = []) => ({
  package_key: row.package_key,
  version: row.version,
  enabled: row.is_enabled,
  origin: row.origin,
  everyone: row.is_for_everyone,
  agent_ids,
  has_credential: row.has_credential,
  digest: row.digest,
})
