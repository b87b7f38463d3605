import type { Project } from '@crewhall/contracts/code-index/projects.ts'
import type { ProjectRow } from './projects.store.ts'

export const presentProject = (row: ProjectRow): Project => ({
  id: row.id,
  name: row.name,
  created_at: row.created_at,
  updated_at: row.updated_at,
  archived_at: row.archived_at,
})
