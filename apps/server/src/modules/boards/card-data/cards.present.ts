import type { FullCard, StandardCard, SummaryCard } from '@crewhall/contracts/boards/card-fields.ts'
import { isOutside } from './cards.rules.ts'
import type { FullRow, StandardRow, SummaryRow } from './cards.store.ts'

/** What every card of a board shares. */
export interface BoardFacts {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly project_id: string | null
  readonly archived_at: string | null
}

export function presentSummary({ key }: Pick<BoardFacts, 'key'>, row: SummaryRow): SummaryCard {
  const { id, number, title, status, assignee, branch, pr_number, pr_state, source } = row
  const column = { id: row.column_id, name: row.column_name }
  return { id, ref: `${key}-${number}`, title, status, column, assignee, branch, pr_number, pr_state, source }
}

/**
 * Field by field, in the order of the contract. A copy of the row with other fields around it is an object that
 * has no fixed shape, and took three times as long to make and to write as JSON.
 */
export function presentStandard(board: BoardFacts, row: StandardRow): StandardCard {
  return {
    id: row.id,
    ref: `${board.key}-${row.number}`,
    title: row.title,
    status: row.status,
    column: { id: row.column_id, name: row.column_name },
    assignee: row.assignee,
    branch: row.branch,
    pr_number: row.pr_number,
    pr_state: row.pr_state,
    number: row.number,
    board_id: row.board_id,
    board: board.name,
    project_id: board.project_id,
    task_type: row.task_type,
    priority: row.priority,
    labels: row.labels,
    estimate: row.estimate,
    description: row.description,
    rank: row.rank,
    version: row.version,
    delegate: row.delegate,
    reporter: row.reporter,
    created_by: row.created_by,
    updated_by: row.updated_by,
    source: row.source,
    client_ref: row.client_ref,
    parent_id: row.parent_id,
    blocked_by: row.blocked_by,
    open_blockers: row.open_blockers,
    blocks_count: row.blocks_count,
    children_count: row.children_count,
    comments_count: row.comments_count,
    attachments_count: row.attachments_count,
    runs_count: row.runs_count,
    checklist_total: row.checklist_total,
    checklist_done: row.checklist_done,
    blocked_reason: row.blocked_reason,
    repository: row.repository,
    base_branch: row.base_branch,
    commit_sha: row.commit_sha,
    pr_url: row.pr_url,
    merged_at: row.merged_at,
    agent_context: row.agent_context,
    claim: claimOf(row),
    claim_epoch: row.claim_epoch,
    // What `claim-next` would hand out: nothing of an archived board.
    is_ready: board.archived_at === null && isReady(row),
    last_run_id: row.last_run_id,
    last_run_status: row.last_run_status,
    last_run_at: row.last_run_at,
    usage_tokens: row.usage_tokens,
    usage_cost_micros: row.usage_cost_micros,
    created_at: row.created_at,
    updated_at: row.updated_at,
    moved_at: row.moved_at,
    started_at: row.started_at,
    completed_at: row.completed_at,
    start_at: row.start_at,
    due_at: row.due_at,
    last_commented_at: row.last_commented_at,
    archived_at: row.archived_at,
  }
}

export function presentFull(board: BoardFacts, row: FullRow): FullCard {
  const { instructions, acceptance_criteria, plan, notes, result, review, log } = row
  const long = { instructions, acceptance_criteria, plan, notes, result, review, log }
  return { ...presentStandard(board, row), ...long }
}

/** Nobody works on it once the lease has run out. */
function claimOf(row: StandardRow): StandardCard['claim'] {
  const { claim_id, claim_holder: holder, claim_expires_at: expires_at } = row
  if (!row.is_claimed || claim_id === null || holder === null || expires_at === null) return null
  return { claim_id, holder, epoch: row.claim_epoch, expires_at }
}

const isReady = ({ status, open_blockers, is_claimed, archived_at, source }: StandardRow): boolean =>
  (status === 'pending' || status === 'in_progress') &&
  open_blockers === 0 &&
  !is_claimed &&
  !isOutside(source) &&
  archived_at === null
