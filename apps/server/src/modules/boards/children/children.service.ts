import type { ChildCard, Progress } from '@crewhall/contracts/boards/children.ts'
import { cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { presentSummary } from '../card-data/cards.present.ts'
import { findBoardOfCard } from '../card-data/cards.store.ts'
import { deriveProgress } from './children.rules.ts'
import { type ChildRow, listChildCards } from './children.store.ts'

/**
 * Summed when it is asked for: there are at most 200, in one statement. Sums on the parent would make every change of a
 * sub-task wait for the board of its parent.
 */
export async function readChildren(
  ctx: BrandCtx,
  id: string,
): Promise<{ items: ChildCard[]; progress: Progress }> {
  const [board_id, children] = await Promise.all([findBoardOfCard(ctx, id), listChildCards(ctx, id)])
  if (board_id === undefined) throw cardNotFound()
  return { items: children.map(present), progress: deriveProgress(children) }
}

const present = (row: ChildRow): ChildCard => ({
  ...presentSummary(row, row),
  board_id: row.board_id,
  board: row.board,
  priority: row.priority,
  estimate: row.estimate,
})
