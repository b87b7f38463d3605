import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

/** A card whose lease has ended. */
export interface EndedRow {
  readonly id: string
  readonly board_id: string
  readonly claim_epoch: number
  readonly claim_holder: Actor | null
}

// Ended leases of all workspaces stand at the beginning of the index; soon after they end they are not there any more.
const endedHere = sqlStatement<{ brand_id: number; board_id: string; limit: number }, EndedRow>(
  `select id, board_id, claim_epoch, claim_holder from boards.cards
   where claim_id is not null and claim_expires_at <= platform.clock_now() and brand_id = $1 and board_id = $2
   order by claim_expires_at, id limit $3 for no key update`,
  'brand_id',
  'board_id',
  'limit',
)

export interface DueRow {
  readonly brand_id: number
  readonly id: string
  readonly due_at: string
}
type Page = { due_at: string; id: string; limit: number }
const dueLeases = sqlStatement<Page, DueRow>(
  `select brand_id, id, claim_expires_at as due_at from boards.cards
   where claim_id is not null and claim_expires_at <= platform.clock_now()
     and (claim_expires_at, id) > ($1::timestamptz, $2::uuid)
   order by claim_expires_at, id limit $3`,
  'due_at',
  'id',
  'limit',
)
const dueRuns = sqlStatement<Page, DueRow & { card_id: string }>(
  `select brand_id, id, card_id, lost_after as due_at from boards.runs
   where status = 'running' and lost_after is not null and lost_after <= platform.clock_now()
     and (lost_after, id) > ($1::timestamptz, $2::uuid)
   order by lost_after, id limit $3`,
  'due_at',
  'id',
  'limit',
)

/** Only under the lock of the board. */
export const lockEndedLeases = (ctx: BrandTx, board_id: string, limit: number) =>
  ctx.db.all(endedHere, { brand_id: ctx.brandId, board_id, limit })
export const listDueLeases = (ctx: SystemCtx, page: Page) => ctx.db.all(dueLeases, page)
export const listDueRuns = (ctx: SystemCtx, page: Page) => ctx.db.all(dueRuns, page)
