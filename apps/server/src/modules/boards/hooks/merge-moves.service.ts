import { boardNotFound, noSuchColumn } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { lockOpenBoard } from '../boards/boards.service.ts'
import { findBoard } from '../boards/boards.store.ts'
import { listColumns } from '../boards/columns.store.ts'
import { findColumnNamed } from '../card-data/cards.rules.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import * as store from './merge-moves.store.ts'

export async function getMergeMove(ctx: BrandCtx, board_id: string) {
  const [board, column] = await Promise.all([findBoard(ctx, board_id), store.findMergeMove(ctx, board_id)])
  if (!board) throw boardNotFound()
  return { column: column ?? null }
}

export const setMergeMove = (ctx: BrandCtx, board_id: string, named: string | null) =>
  ctx.tx(async (ctx) => {
    await lockOpenBoard(ctx, board_id)
    const before = await store.findMergeMove(ctx, board_id)
    const columns = (await listColumns(ctx, board_id)).filter(({ moving_to }) => moving_to === null)
    const column = named === null ? undefined : findColumnNamed(columns, named)
    if (named !== null && !column) throw noSuchColumn()
    if (column?.id !== before?.id) {
      await (column ? store.upsertMergeMove(ctx, board_id, column.id) : store.deleteMergeMove(ctx, board_id))
      const [actor, data] = [boardActorOf(ctx.actor), { fields: ['on_merge'] }]
      await recordActivity(ctx, { board_id, action: 'board.updated', card_id: null, actor, data })
    }
    return { column: column ? { id: column.id, name: column.name } : null }
  })
