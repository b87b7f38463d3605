import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { batchesOf, type Sized } from '../batches.rules.ts'
import { type BoardFacts, presentFull } from '../card-data/cards.present.ts'
import * as store from '../card-data/cards.store.ts'

/**
 * A page of whole cards can have a hundred megabytes, so they are read a few at a time, each as it is when it is
 * read. Which cards, and in which order, was decided before.
 */
export async function* readFullCards(
  ctx: BrandCtx,
  board: BoardFacts,
  cards: readonly Sized[],
): AsyncGenerator<FullCard[]> {
  for (const ids of batchesOf(cards)) {
    const rows = await store.listFullCards(ctx, ids)
    yield rows.map((row) => presentFull(board, row))
  }
}
