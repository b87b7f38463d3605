import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { openBoardOf } from '../boards/boards.service.ts'
import { lockBoardsForAll, updateCardCount } from '../boards/boards.store.ts'
import { updateColumnCount } from '../boards/columns.store.ts'
import { archiveCard } from '../cards/cards.service.ts'
import { deleteCards } from '../erasure/brand-boards.store.ts'
import { updateRelationCounts } from '../relations/relations.store.ts'
import { listBoardsOfWaiting, updateOpenBlockers } from '../relations/waiting.store.ts'
import * as rowStore from './import-rows.store.ts'
import { recordStep } from './import-steps.service.ts'
import * as store from './imports.store.ts'

/** Much hangs on each card. */
const biteSize = 50
const mostKept = 100

/**
 * Deletes the next cards of an import, the last first, or passes over those that were changed since. Returns whether none
 * is left.
 */
export const undoBite = (ctx: BrandCtx, { id, board_id }: store.ImportRow): Promise<boolean> =>
  ctx.tx(async (ctx) => {
    const seen = await store.findImport(ctx, id)
    const made = seen ? await rowStore.listMade(ctx, id, seen.rows_done, biteSize) : []
    const ids = made.map(({ card_id }) => card_id)
    const related = await rowStore.listRelated(ctx, ids)
    const boards = [...related.map((each) => each.board_id), ...(await listBoardsOfWaiting(ctx, ids))]
    openBoardOf(await lockBoardsForAll(ctx, [board_id, ...boards]), board_id)
    const row = await store.lockImport(ctx, id)
    // Somebody else has gone on with it before the board was locked.
    if (row?.state !== 'undoing' || row.rows_done !== seen?.rows_done) return row?.state !== 'undoing'
    const cards = await rowStore.listMadeCards(ctx, id, ids)
    const leaving = cards.filter(({ is_touched }) => row.is_forced || !is_touched)
    const kept = cards.filter((card) => !leaving.includes(card)).map((card) => card.id)
    await removeCards(ctx, board_id, leaving)
    const isDone = made.length < biteSize
    const next = await store.updateImport(ctx, {
      ...row,
      state: isDone ? 'undone' : 'undoing',
      actor: isDone ? null : row.actor,
      rows_done: isDone ? 0 : (made.at(-1)?.place ?? 1) - 1,
      cards_removed: row.cards_removed + leaving.length,
      kept_count: row.kept_count + kept.length,
      kept: [...row.kept, ...kept].slice(0, mostKept),
    })
    if (next) await recordStep(ctx, next, { task_ids: leaving.map((card) => card.id) })
    await ctx.faultPoint('boards.import-undo')
    return isDone
  })

/** Boards of all cards that these are related to are locked. */
async function removeCards(
  ctx: BrandTx,
  board_id: string,
  cards: readonly rowStore.MadeCard[],
): Promise<void> {
  if (cards.length === 0) return
  // Claims of a card that was worked on end, and those who wait for it are told.
  for (const { id, is_touched, is_archived } of cards)
    if (is_touched && !is_archived) await archiveCard(ctx, id, true)
  const ids = cards.map(({ id }) => id)
  const counted = cards.filter(({ is_touched, is_archived }) => !is_touched && !is_archived)
  for (const [column_id, gone] of Map.groupBy(counted, (card) => card.column_id))
    await updateColumnCount(ctx, column_id, -gone.length)
  await updateCardCount(ctx, board_id, -counted.length)
  const related = (await rowStore.listRelated(ctx, ids)).map(({ id }) => id)
  await rowStore.updateLeaving(ctx, ids)
  await deleteCards(ctx, ids)
  const others = related.filter((id) => !ids.includes(id))
  if (others.length === 0) return
  await updateRelationCounts(ctx, others)
  await updateOpenBlockers(ctx, others)
}
