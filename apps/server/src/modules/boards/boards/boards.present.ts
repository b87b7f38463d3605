import type { Board, BoardSummary, Column } from '@crewhall/contracts/boards/boards.ts'
import type { BoardRow } from './boards.store.ts'
import type { ColumnRow } from './columns.store.ts'

export function presentBoardSummary(row: BoardRow): BoardSummary {
  const { id, key, name, board_type, description, project_id, card_count, wip_limits } = row
  const { created_at, updated_at, archived_at } = row
  return {
    id,
    key,
    name,
    board_type,
    description,
    project_id,
    card_count,
    wip_limits,
    created_at,
    updated_at,
    archived_at,
  }
}

export const presentBoard = (row: BoardRow, columns: readonly ColumnRow[]): Board => ({
  ...presentBoardSummary(row),
  columns: columns.map(presentColumn),
})

export function presentColumn(row: ColumnRow): Column {
  const { id, name, status, rank, wip_limit, card_count, cards_changing } = row
  return { id, name, status, rank, wip_limit, card_count, cards_changing }
}
