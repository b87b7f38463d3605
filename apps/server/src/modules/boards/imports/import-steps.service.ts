import type { BrandTx } from '#platform/ctx/ctx.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import type { ImportRow } from './imports.store.ts'

/** Tells followers of the board. Last in the transaction, under the lock of the board. */
export async function recordStep(
  ctx: BrandTx,
  { id, board_id, state, rows_done, rows_total }: ImportRow,
  more: Record<string, unknown> = {},
): Promise<void> {
  const data = { import_id: id, state, rows_done, rows_total, ...more }
  const actor = boardActorOf(ctx.actor)
  await recordActivity(ctx, { board_id, action: 'import.updated', card_id: null, actor, data })
}
