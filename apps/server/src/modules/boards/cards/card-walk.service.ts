import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import { cursorAndPage, unknownCardCursor } from '@crewhall/contracts/boards/cards.ts'
import { boardNotFound, boardOfOther } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import type { LongList } from '#platform/http/list-answer.ts'
import * as boardStore from '../boards/boards.store.ts'
import { presentStandard, presentSummary } from '../card-data/cards.present.ts'
import * as store from './card-walk.store.ts'
import { readFullCards } from './full-cards.service.ts'

interface WalkQuery {
  readonly cursor: string
  readonly page?: number | undefined
  readonly per_page: number
}

/**
 * The same cards in the same order as by pages. The position is that of a card, not a number, so changes elsewhere shift
 * nothing, and a deep page costs as much as the first.
 */
export async function listCardsFrom(
  ctx: BrandCtx,
  cursors: Cursors,
  board_id: string,
  { detail, ...at }: WalkQuery & { readonly detail: 'summary' | 'standard' },
) {
  if (detail === 'summary') {
    const { board, rows, head } = await walk(ctx, cursors, board_id, at, store.listSummaryCardsAfter)
    return { items: rows.map((row) => presentSummary(board, row)), ...head }
  }
  const { board, rows, head } = await walk(ctx, cursors, board_id, at, store.listStandardCardsAfter)
  return { items: rows.map((row) => presentStandard(board, row)), ...head }
}

export async function listFullCardsFrom(
  ctx: BrandCtx,
  cursors: Cursors,
  board_id: string,
  at: WalkQuery,
): Promise<LongList<FullCard>> {
  const { board, rows, head } = await walk(ctx, cursors, board_id, at, store.listSizedCardsAfter)
  return { head, batches: readFullCards(ctx, board, rows) }
}

type Placed = Pick<store.CardPlace, 'column_id' | 'card_rank' | 'ranks_version'> & { readonly id: string }

async function walk<Row extends Placed>(
  ctx: BrandCtx,
  cursors: Cursors,
  board_id: string,
  { cursor, page, per_page }: WalkQuery,
  read: (ctx: BrandCtx, at: store.CardWalk) => Promise<Row[]>,
) {
  const list = `tasks:${ctx.brandId}:${board_id}`
  const after = cursor === 'start' ? store.firstPlace : placeOf(cursors.read(list, cursor))
  const isAllowed = after !== undefined && page === undefined
  const [board, rows] = await Promise.all([
    boardStore.findBoard(ctx, board_id),
    isAllowed ? read(ctx, { board_id, after, limit: per_page }) : undefined,
  ])
  if (!board) throw (await boardStore.hasBoardAnywhere(ctx, board_id)) ? boardOfOther() : boardNotFound()
  if (!rows || !after) throw page === undefined ? unknownCardCursor() : cursorAndPage()
  // A page that is not full is the last one.
  const last = rows.length === per_page ? placeAfter(after, rows) : undefined
  const next_cursor = last ? cursors.issue(list, positionOf(last)) : null
  return { board, rows, head: { total: board.card_count, page: null, per_page, next_cursor } }
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
  const { column_id: of, card_rank, ranks_version, id: card_id } = last
  return { done: [...done, ...ended], column_id: of, card_rank, card_id, ranks_version }
}

// Ranks are letters and digits only, and so are ids but for hyphens.
const positionOf = ({ done, column_id, card_rank, card_id, ranks_version }: store.CardPlace): string =>
  [done.join('.'), column_id, card_rank, card_id, ranks_version].join('|')

function placeOf(position: string | undefined): store.CardPlace | undefined {
  const [done, column_id, card_rank, card_id, version] = position?.split('|') ?? []
  if (done === undefined || column_id === undefined) return undefined
  if (card_rank === undefined || card_id === undefined) return undefined
  // Cursors of the previous version do not have it.
  const ranks_version = version === undefined ? null : Number(version)
  return { done: done === '' ? [] : done.split('.'), column_id, card_rank, card_id, ranks_version }
}
