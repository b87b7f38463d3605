import {
  type ActivityEntry,
  expiredActivityCursor,
  unknownActivityCursor,
} from '@crewhall/contracts/boards/activity.ts'
import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { findBoard } from '../boards/boards.store.ts'
import { presentEntry } from '../writes/activity.present.ts'
import * as store from '../writes/activity.store.ts'

interface ActivityQuery {
  readonly limit: number
  readonly since?: string | undefined
}

/**
 * BRD-G15: without a cursor the newest entries; with one, the oldest that follow it, so that a burst is read to its end.
 * Either way the page is newest first, and the cursor points to its newest entry.
 */
export async function readActivity(
  ctx: BrandCtx,
  cursors: Cursors,
  board_id: string,
  { limit, since }: ActivityQuery,
): Promise<{ items: ActivityEntry[]; next_cursor: string | null }> {
  const list = `activity:${ctx.brandId}:${board_id}`
  const position = since === undefined ? undefined : cursors.read(list, since)
  const isUnknown = since !== undefined && position === undefined
  // In this order, and sent together: a month that is dropped in between is noticed.
  const [board, rows, isLost] = await Promise.all([
    findBoard(ctx, board_id),
    isUnknown ? [] : readRows(ctx, board_id, position, limit),
    position !== undefined && store.hasLostActivity(ctx, [{ board_id, ...placeOf(position) }]),
  ])
  if (!board) throw boardNotFound()
  if (isUnknown) throw unknownActivityCursor()
  if (isLost) throw expiredActivityCursor()
  const [newest] = rows
  const place = newest ? cursors.issue(list, `${newest.created_at}|${newest.id}`) : (since ?? null)
  return { items: rows.map(presentEntry), next_cursor: place }
}

async function readRows(ctx: BrandCtx, board_id: string, position: string | undefined, limit: number) {
  if (position === undefined) return store.listNewestActivity(ctx, board_id, limit)
  return (await store.listActivityAfter(ctx, { board_id, ...placeOf(position), limit })).reverse()
}

function placeOf(position: string): { created_at: string; id: string } {
  const [created_at = '', id = ''] = position.split('|')
  return { created_at, id }
}

export const keepMonths = (ctx: SystemCtx, keep: number) => store.rollMonths(ctx, keep)
