import type { Repository } from '@crewhall/contracts/code-index/projects.ts'
import type { RepositoryRow } from './repositories.store.ts'

export const presentRepository = (row: RepositoryRow): Repository => ({
  url: row.url,
  branch: row.branch,
  credential: row.credential_kind,
  host_key_count: row.host_keys.length,
  push_secret_set_at: row.push_secret_set_at,
  attached_at: row.attached_at,
  updated_at: row.updated_at,
})

/** For the audit log, which outlives the repository. */
export const auditedRepository = ({ url, branch, credential_kind }: RepositoryRow) => ({
  host: /^[^:]+:\/\/(?:[^@/]*@)?([^/]*)/.exec(url)?.[1] ?? '',
  branch,
  credential: credential_kind,
})
