import type { ChildCard } from '@crewhall/contracts/boards/children.ts'
import type { Cycle } from '@crewhall/contracts/boards/cycles.ts'
import { presentSummary } from '../card-data/cards.present.ts'
import type { ChildRow } from '../children/children.store.ts'
import { deriveScope } from './cycles.rules.ts'
import type { CycleRow } from './cycles.store.ts'

export const presentCycle = (row: CycleRow): Cycle => ({
  id: row.id,
  board_id: row.board_id,
  name: row.name,
  goal: row.goal,
  starts_on: row.starts_on,
  ends_on: row.ends_on,
  status: row.closed_at !== null ? 'closed' : row.started_at !== null ? 'active' : 'planned',
  started_at: row.started_at,
  closed_at: row.closed_at,
  scope: deriveScope(
    row.at_close ?? row,
    row.started_at === null ? null : { cards: row.planned_cards, estimate: row.planned_estimate },
  ),
  cards_changing: row.is_carrying ? row.cards - row.cards_done : 0,
  created_at: row.created_at,
})

export const presentCycleCard = (row: ChildRow): ChildCard => ({
  ...presentSummary(row, row),
  board_id: row.board_id,
  board: row.board,
  priority: row.priority,
  estimate: row.estimate,
})
