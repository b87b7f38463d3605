import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { type LockedBoards, lockedTooFew } from '../boards/boards.store.ts'
import { isOver } from '../card-data/cards.rules.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import * as store from './waiting.store.ts'

/**
 * Recounts the open blockers of the cards that these block, on any board. Their boards have to be locked too: that
 * prevents concurrent recounts of the same card, and their feeds get an entry. Last in the transaction.
 */
export async function recountWaiting(
  ctx: BrandTx,
  locked: LockedBoards,
  { blockers, actor }: { readonly blockers: readonly string[]; readonly actor: Actor },
): Promise<void> {
  const waiting = await store.lockWaiting(ctx, blockers)
  if (waiting.length === 0) return
  // Related after the boards were listed and before this one was locked.
  if (waiting.some(({ board_id }) => !locked.has(board_id))) throw lockedTooFew()
  await tellUnblocked(ctx, waiting, { blockers, actor })
}

/** Recounts open blockers and records the cards that became unblocked. */
export async function tellUnblocked(
  ctx: BrandTx,
  waiting: readonly store.WaitingRow[],
  { blockers, actor }: { readonly blockers: readonly string[]; readonly actor: Actor },
): Promise<void> {
  const changed = await store.updateOpenBlockers(
    ctx,
    waiting.map(({ id }) => id),
  )
  const free = new Set(changed.filter(({ open_blockers }) => open_blockers === 0).map(({ id }) => id))
  for (const { id, board_id, status, archived_at } of waiting) {
    if (!free.has(id) || isOver(status) || archived_at !== null) continue
    const data = blockers.length === 1 ? { by: blockers[0] } : {}
    await recordActivity(ctx, { board_id, action: 'task.unblocked', card_id: id, actor, data })
  }
}
