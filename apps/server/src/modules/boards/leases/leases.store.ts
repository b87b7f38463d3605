import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

/** A card whose lease has ended. */
export interface EndedRow {
  readonly id: string
  readonly board_id: string
  readonly claim_epoch: number
  readonly claim_holder: Actor | null
}

// Expired leases of all workspaces are at the beginning of the index, and are removed soon after they expire.
const endedHere = brandStatement<{ board_id: string; limit: number }, EndedRow>(
  (p) => sql`select id, board_id, claim_epoch, claim_holder from boards.cards
   where claim_id is not null and claim_expires_at <= platform.clock_now() and brand_id = ${p.brand_id}
     and board_id = ${p.board_id}
   order by claim_expires_at, id limit ${p.limit} for no key update`,
)

export interface DueRow {
  readonly brand_id: number
  readonly id: string
  readonly due_at: string
}
type Page = { due_at: string; id: string; limit: number }
const dueLeases = statement<Page, DueRow>(
  (p) => sql`select brand_id, id, claim_expires_at as due_at from boards.cards
   where claim_id is not null and claim_expires_at <= platform.clock_now()
     and (claim_expires_at, id) > (${p.due_at}::timestamptz, ${p.id}::uuid)
   order by claim_expires_at, id limit ${p.limit}`,
)
const dueRuns = statement<Page, DueRow & { card_id: string }>(
  (p) => sql`select brand_id, id, card_id, lost_after as due_at from boards.runs
   where status = 'running' and lost_after is not null and lost_after <= platform.clock_now()
     and (lost_after, id) > (${p.due_at}::timestamptz, ${p.id}::uuid)
   order by lost_after, id limit ${p.limit}`,
)

/** Only under the lock of the board. */
export const lockEndedLeases = (ctx: BrandTx, board_id: string, limit: number) =>
  ctx.db.all(endedHere, { board_id, limit })
export const listDueLeases = (ctx: SystemCtx, page: Page) => ctx.db.all(dueLeases, page)
export const listDueRuns = (ctx: SystemCtx, page: Page) => ctx.db.all(dueRuns, page)
