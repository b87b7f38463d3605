import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { BoardStats } from '@crewhall/contracts/boards/stats.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import * as boardStore from '../boards/boards.store.ts'
import * as columnStore from '../boards/columns.store.ts'
import * as store from './stats.store.ts'

export async function getBoardStats(ctx: BrandCtx, board_id: string): Promise<BoardStats> {
  const [board, columns, counts] = await Promise.all([
    boardStore.findBoard(ctx, board_id),
    columnStore.listColumns(ctx, board_id),
    store.countCards(ctx, board_id),
  ])
  if (!board || !counts) throw boardNotFound()
  return {
    board_id,
    card_count: board.card_count,
    columns: columns.map(({ id, name, status, card_count }) => ({ id, name, status, card_count })),
    ...counts,
  }
}
