import type { FullCard, StandardCard, SummaryCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { FullRow, StandardRow, SummaryRow } from './cards.store.ts'

/** What every card of a board shares. */
export interface BoardFacts {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly project_id: string | null
}

export function presentSummary(board: BoardFacts, row: SummaryRow): SummaryCard {
  const { id, number, title, status, assignee, branch, pr_number, pr_state } = row
  const column = { id: row.column_id, name: row.column_name }
  return { id, ref: `${board.key}-${number}`, title, status, column, assignee, branch, pr_number, pr_state }
}

export function presentStandard(board: BoardFacts, row: StandardRow): StandardCard {
  const {
    column_id: _,
    column_name: __,
    claim_id,
    claim_holder,
    claim_expires_at,
    is_claimed,
    ...plain
  } = row
  const isHeld = is_claimed && claim_id !== null && claim_holder !== null && claim_expires_at !== null
  return {
    ...plain,
    ...presentSummary(board, row),
    board: board.name,
    project_id: board.project_id,
    claim: isHeld
      ? { claim_id, holder: claim_holder, epoch: row.claim_epoch, expires_at: claim_expires_at }
      : null,
    is_ready: isReady(row),
  }
}

export function presentFull(board: BoardFacts, row: FullRow): FullCard {
  const { instructions, acceptance_criteria, plan, notes, result, review, log } = row
  const long = { instructions, acceptance_criteria, plan, notes, result, review, log }
  return { ...presentStandard(board, row), ...long }
}

const isReady = ({ status, open_blockers, is_claimed, archived_at }: StandardRow): boolean =>
  (status === 'pending' || status === 'in_progress') &&
  open_blockers === 0 &&
  !is_claimed &&
  archived_at === null
