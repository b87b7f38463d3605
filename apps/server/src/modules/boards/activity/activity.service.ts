import {
  type ActivityEntry,
  beforeAndSince,
  expiredActivityCursor,
  noSuchCardOfBoard,
  unknownActivityCursor,
  unknownActivityPlace,
} from '@crewhall/contracts/boards/activity.ts'
import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { findBoard } from '../boards/boards.store.ts'
import { findBoardOfCard } from '../card-data/cards.store.ts'
import { findCardId } from '../cards/task-ids.service.ts'
import { presentEntry } from '../writes/activity.present.ts'
import * as store from '../writes/activity.store.ts'

interface ActivityQuery {
  readonly limit: number
  readonly since?: string | undefined
  readonly before?: string | undefined
  readonly task_id?: string | undefined
}
interface ActivityPage {
  items: ActivityEntry[]
  next_cursor: string | null
  older_cursor?: string | null
}

/**
 * BRD-G15: without a cursor the newest entries; with one, the oldest that follow it, so that a burst is read to its end.
 * Either way the page is newest first, and the cursor points to its newest entry. With `before`, the newest that precede
 * it, and a second cursor to the oldest of them.
 */
export async function readActivity(
  ctx: BrandCtx,
  cursors: Cursors,
  board_id: string,
  { limit, since, before, task_id }: ActivityQuery,
): Promise<ActivityPage> {
  const list = `activity:${ctx.brandId}:${board_id}`
  const isOlder = before !== undefined
  const sent = before === 'now' ? undefined : (before ?? since)
  const position = sent === undefined ? undefined : cursors.read(list, sent)
  const isUnknown = sent !== undefined && position === undefined
  const isPast = isUnknown && cursors.isPast(list, sent)
  const card_id = task_id === undefined ? undefined : await cardOfBoard(ctx, board_id, task_id)
  const isReadable = !isUnknown && card_id !== null
  const place = position === undefined ? undefined : placeOf(position)
  // In this order, and sent together: a month that is dropped in between is noticed.
  const [board, rows, isLost] = await Promise.all([
    findBoard(ctx, board_id),
    isReadable ? readRows(ctx, { board_id, card_id, limit }, place, isOlder) : [],
    place !== undefined && !isOlder && store.hasLostActivity(ctx, [{ board_id, ...place }]),
  ])
  if (!board) throw boardNotFound()
  if (isOlder && since !== undefined) throw beforeAndSince()
  if (isPast) throw expiredActivityCursor()
  if (isUnknown) throw isOlder ? unknownActivityPlace() : unknownActivityCursor()
  if (card_id === null) throw noSuchCardOfBoard()
  if (isLost) throw expiredActivityCursor()
  const cursorAt = (row: store.ActivityRow) => cursors.issue(list, `${row.created_at}|${row.id}`)
  const [newest, oldest] = [rows[0], rows.at(-1)]
  const page = { items: rows.map(presentEntry), next_cursor: newest ? cursorAt(newest) : (sent ?? null) }
  if (!isOlder) return page
  return { ...page, older_cursor: oldest && rows.length === limit ? cursorAt(oldest) : null }
}

interface Wanted {
  readonly board_id: string
  readonly card_id: string | undefined
  readonly limit: number
}

async function readRows(
  ctx: BrandCtx,
  { card_id, ...wanted }: Wanted,
  place: store.Place | undefined,
  isOlder: boolean,
) {
  const isAfter = place !== undefined && !isOlder
  if (card_id !== undefined) {
    const page = { ...wanted, card_id, ...(place ?? store.lastPlace) }
    return isAfter
      ? (await store.listCardActivityAfter(ctx, page)).reverse()
      : store.listCardActivityBefore(ctx, page)
  }
  if (place === undefined) return store.listNewestActivity(ctx, wanted.board_id, wanted.limit)
  const page = { ...wanted, ...place }
  return isAfter ? (await store.listActivityAfter(ctx, page)).reverse() : store.listActivityBefore(ctx, page)
}

/** Null for what is not on the board, wherever it is. */
async function cardOfBoard(ctx: BrandCtx, board_id: string, task_id: string): Promise<string | null> {
  const id = await findCardId(ctx, task_id)
  return id !== undefined && (await findBoardOfCard(ctx, id)) === board_id ? id : null
}

function placeOf(position: string): store.Place {
  const [created_at = '', id = ''] = position.split('|')
  return { created_at, id }
}

export const keepMonths = (ctx: SystemCtx, keep: number) => store.rollMonths(ctx, keep)
