import type { Project } from '@crewhall/contracts/code-index/projects.ts'
import { presentRepository } from '../repositories/repositories.present.ts'
import type { RepositoryRow } from '../repositories/repositories.store.ts'
import type { ProjectRow } from './projects.store.ts'

export const presentProject = (row: ProjectRow, repository: RepositoryRow | undefined): Project => ({
  id: row.id,
  name: row.name,
  repository: repository ? presentRepository(repository) : null,
  created_at: row.created_at,
  updated_at: row.updated_at,
  archived_at: row.archived_at,
})
