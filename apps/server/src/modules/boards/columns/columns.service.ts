import type { Column } from '@crewhall/contracts/boards/boards.ts'
import type { CardStatus } from '@crewhall/contracts/boards/card-fields.ts'
import {
  columnLimit,
  columnNotEmpty,
  columnNotFound,
  lastColumn,
} from '@crewhall/contracts/boards/refusals.ts'
import { foldName } from '@crewhall/contracts/folding.ts'
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { recordActivity } from '../activity/record-activity.service.ts'
import { boardActorOf } from '../board-actor.ts'
import { presentColumn } from '../boards/boards.present.ts'
import { lockOpenBoard } from '../boards/boards.service.ts'
import { findLastRank } from '../cards/cards.store.ts'
import { listCardIdsOfColumn, updateColumnOfCards, updateStatusOfColumn } from './column-cards.store.ts'
import * as store from './columns.store.ts'

const maxColumns = 50
/** Cards that one removal carries over; a fuller column is emptied first. */
const maxCarried = 5000

interface NewColumn {
  readonly name: string
  readonly status: CardStatus
  readonly wip_limit?: number | null | undefined
  readonly before_id?: string | undefined
}

export const addColumn = (ctx: BrandCtx, board_id: string, order: NewColumn): Promise<Column> =>
  ctx.tx(async (ctx) => {
    await lockOpenBoard(ctx, board_id)
    const columns = await store.listColumns(ctx, board_id)
    if (columns.length >= maxColumns) throw columnLimit()
    const rank = rankBefore(columns, order.before_id)
    const { name, status, wip_limit = null } = order
    const written = { name: name.trim(), name_key: foldName(name), status, wip_limit, rank }
    const column = await store.insertColumn(ctx, board_id, written)
    if (!column) throw columnNotFound()
    await record(ctx, board_id, 'column.created', { column: column.name })
    return presentColumn(column)
  })

interface ColumnChange {
  readonly name?: string | undefined
  readonly status?: CardStatus | undefined
  readonly wip_limit?: number | null | undefined
  /** Null: to the end. */
  readonly before_id?: string | null | undefined
}

export const changeColumn = (ctx: BrandCtx, id: string, change: ColumnChange): Promise<Column> =>
  withColumn(ctx, id, async (ctx, before) => {
    const others = (await store.listColumns(ctx, before.board_id)).filter((each) => each.id !== id)
    const name = change.name?.trim() ?? before.name
    const after = {
      name,
      name_key: foldName(name),
      status: change.status ?? before.status,
      wip_limit: change.wip_limit === undefined ? before.wip_limit : change.wip_limit,
      rank: change.before_id === undefined ? before.rank : rankBefore(others, change.before_id ?? undefined),
    }
    const fields = (['name', 'status', 'wip_limit', 'rank'] as const).filter((f) => after[f] !== before[f])
    if (fields.length === 0) return presentColumn(before)
    const column = await store.updateColumn(ctx, id, after)
    if (!column) throw columnNotFound()
    if (fields.includes('status')) await updateStatusOfColumn(ctx, before.board_id, id, after.status)
    await record(ctx, before.board_id, 'column.updated', { column: column.name, fields })
    return presentColumn(column)
  })

export const removeColumn = (ctx: BrandCtx, id: string, move_to: string | undefined) =>
  withColumn(ctx, id, async (ctx, column) => {
    const { board_id } = column
    const columns = await store.listColumns(ctx, board_id)
    if (columns.length === 1) throw lastColumn()
    const cards = await listCardIdsOfColumn(ctx, board_id, id, maxCarried + 1)
    const target = columns.find((each) => each.id === move_to && each.id !== id)
    if (cards.length > 0 && (!target || cards.length > maxCarried)) throw columnNotEmpty()
    if (target && cards.length > 0) {
      const last = await findLastRank(ctx, { board_id, column_id: target.id })
      const ranks = generateNKeysBetween(last, null, cards.length)
      await updateColumnOfCards(ctx, { board_id, column_id: target.id, status: target.status, cards, ranks })
      await store.updateColumnCount(ctx, target.id, column.card_count)
    }
    await store.deleteColumn(ctx, id)
    await record(ctx, board_id, 'column.deleted', { column: column.name, move_to: target?.name ?? null })
    return { removed: true as const, cards_moved: cards.length }
  })

/** Before the named column; without a name, at the end. */
function rankBefore(columns: readonly store.ColumnRow[], before_id: string | undefined): string {
  if (before_id === undefined) return generateKeyBetween(columns.at(-1)?.rank ?? null, null)
  const at = columns.findIndex(({ id }) => id === before_id)
  if (at < 0) throw columnNotFound()
  return generateKeyBetween(columns[at - 1]?.rank ?? null, columns[at]?.rank ?? null)
}

const withColumn = <T>(
  ctx: BrandCtx,
  id: string,
  work: (ctx: BrandTx, column: store.ColumnRow) => Promise<T>,
): Promise<T> =>
  ctx.tx(async (ctx) => {
    const seen = await store.findColumn(ctx, id)
    if (!seen) throw columnNotFound()
    await lockOpenBoard(ctx, seen.board_id)
    // Read again: it may have been removed while we waited.
    const column = await store.findColumn(ctx, id)
    if (!column) throw columnNotFound()
    return work(ctx, column)
  })

const record = (ctx: BrandTx, board_id: string, action: string, data: Record<string, unknown>) =>
  recordActivity(ctx, { board_id, action, card_id: null, actor: boardActorOf(ctx.actor), data })
