import { cursorAndPage, type Detail, unknownCardCursor } from '@crewhall/contracts/boards/cards.ts'
import { boardNotFound, boardOfOther } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import * as boardStore from '../boards/boards.store.ts'
import * as store from './card-walk.store.ts'
import { presentFull, presentStandard, presentSummary } from './cards.present.ts'

interface WalkQuery {
  readonly cursor: string
  readonly detail: Detail
  readonly page?: number | undefined
  readonly per_page: number
}

/**
 * The same cards in the same order as by pages. The place is that of a card and not a number, so what others
 * move, add or put away elsewhere shifts nothing, and a deep page costs what the first one does.
 */
export async function listCardsFrom(ctx: BrandCtx, cursors: Cursors, board_id: string, query: WalkQuery) {
  const { cursor, detail, page, per_page } = query
  const list = `tasks:${ctx.brandId}:${board_id}`
  const after = cursor === 'start' ? store.firstPlace : placeOf(cursors.read(list, cursor))
  const isAllowed = after !== undefined && page === undefined
  const [board, read] = await Promise.all([
    boardStore.findBoard(ctx, board_id),
    isAllowed ? readFrom(ctx, detail, { board_id, after, limit: per_page }) : undefined,
  ])
  if (!board) throw (await boardStore.hasBoardAnywhere(ctx, board_id)) ? boardOfOther() : boardNotFound()
  if (!read) throw page === undefined ? unknownCardCursor() : cursorAndPage()
  const { last, present } = read
  const next_cursor = last ? cursors.issue(list, positionOf(last)) : null
  return { items: present(board), total: board.card_count, page: null, per_page, next_cursor }
}

type Placed = { readonly column_id: string; readonly card_rank: string; readonly id: string }

async function readFrom(ctx: BrandCtx, detail: Detail, at: store.CardWalk) {
  // A page that is not full is the last one.
  const lastOf = (rows: readonly Placed[]) =>
    rows.length === at.limit ? placeAfter(at.after, rows) : undefined
  if (detail === 'summary') {
    const rows = await store.listSummaryCardsAfter(ctx, at)
    const present = (board: boardStore.BoardRow) => rows.map((row) => presentSummary(board, row))
    return { last: lastOf(rows), present }
  }
  if (detail === 'standard') {
    const rows = await store.listStandardCardsAfter(ctx, at)
    const present = (board: boardStore.BoardRow) => rows.map((row) => presentStandard(board, row))
    return { last: lastOf(rows), present }
  }
  const rows = await store.listFullCardsAfter(ctx, at)
  const present = (board: boardStore.BoardRow) => rows.map((row) => presentFull(board, row))
  return { last: lastOf(rows), present }
}

/** Columns that were left behind are read to their end. */
function placeAfter(
  { done, column_id }: store.CardPlace,
  rows: readonly Placed[],
): store.CardPlace | undefined {
  const last = rows.at(-1)
  if (!last) return undefined
  const opened = new Set([column_id, ...rows.map((row) => row.column_id)])
  opened.delete(last.column_id)
  opened.delete(store.firstPlace.column_id)
  const ended = [...opened].map(store.beginningOf)
  return { done: [...done, ...ended], column_id: last.column_id, card_rank: last.card_rank, card_id: last.id }
}

// Ranks are letters and digits only, and so are ids but for hyphens.
const positionOf = ({ done, column_id, card_rank, card_id }: store.CardPlace): string =>
  [done.join('.'), column_id, card_rank, card_id].join('|')

function placeOf(position: string | undefined): store.CardPlace | undefined {
  const [done, column_id, card_rank, card_id] = position?.split('|') ?? []
  if (done === undefined || column_id === undefined) return undefined
  if (card_rank === undefined || card_id === undefined) return undefined
  return { done: done === '' ? [] : done.split('.'), column_id, card_rank, card_id }
}
