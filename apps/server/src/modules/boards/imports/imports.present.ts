import type { Import, ImportCard, ListedImport } from '@crewhall/contracts/boards/imports.ts'
import type { ImportRow } from './imports.store.ts'

export const presentListed = (row: ImportRow): ListedImport => ({
  id: row.id,
  board_id: row.board_id,
  source: row.source,
  file_name: row.file_name,
  state: row.state,
  user_id: row.person_id,
  rows_total: row.rows_total,
  rows_done: row.rows_done,
  cards_made: row.cards_made,
  rows_skipped: row.rows_skipped,
  rows_ignored: row.rows_ignored,
  problem_count: row.problem_count,
  cards_removed: row.cards_removed,
  kept_count: row.kept_count,
  created_at: row.created_at,
  started_at: row.started_at,
  finished_at: row.finished_at,
})

export const presentImport = (row: ImportRow, first_cards: ImportCard[]): Import => ({
  ...presentListed(row),
  problems: [...row.problems],
  people: [...row.people],
  states: [...row.states],
  first_cards,
  kept: [...row.kept],
})
