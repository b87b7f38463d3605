import type { Page, PageEntry } from '@crewhall/contracts/docs-spaces/pages.ts'
import type { PageEntryRow, PageRow } from './pages.store.ts'

export function presentEntry(row: PageEntryRow): PageEntry {
  const { id, title, author_id, author_name, version, created_at, updated_at } = row
  return { id, title, author: { user_id: author_id, name: author_name }, version, created_at, updated_at }
}

export const presentPage = (row: PageRow): Page => ({ ...presentEntry(row), body: row.body })
