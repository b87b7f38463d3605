import type { Column } from '@crewhall/contracts/boards/boards.ts'
import type { CardStatus } from '@crewhall/contracts/boards/card-fields.ts'
import { carryColumn } from '@crewhall/contracts/boards/jobs.ts'
import {
  columnBusy,
  columnLimit,
  columnNotEmpty,
  columnNotFound,
  lastColumn,
} from '@crewhall/contracts/boards/refusals.ts'
import { foldName } from '@crewhall/contracts/folding.ts'
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { presentColumn } from '../boards/boards.present.ts'
import { lockOpenBoard, openBoardOf } from '../boards/boards.service.ts'
import type { LockedBoards } from '../boards/boards.store.ts'
import * as store from '../boards/columns.store.ts'
import { longestRank } from '../card-data/ranks.rules.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import { atOnce, carryCards, endColumn, lockBoardsOf } from './carry-cards.service.ts'
import { countCards, listCardsOfOtherStatus, listFirstCards } from './column-cards.store.ts'

const maxColumns = 50

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
    const rank = await rankBefore(ctx, board_id, columns, order.before_id)
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
  withColumn(ctx, id, change.status, async (ctx, { column: before, locked, ids }) => {
    if (before.moving_to !== null) throw columnBusy()
    const others = (await store.listColumns(ctx, before.board_id)).filter((each) => each.id !== id)
    if (change.status !== undefined && others.some(({ moving_to }) => moving_to === id)) throw columnBusy()
    const name = change.name?.trim() ?? before.name
    const after = {
      name,
      name_key: foldName(name),
      status: change.status ?? before.status,
      wip_limit: change.wip_limit === undefined ? before.wip_limit : change.wip_limit,
      rank:
        change.before_id === undefined
          ? before.rank
          : await rankBefore(ctx, before.board_id, others, change.before_id ?? undefined),
    }
    const fields = (['name', 'status', 'wip_limit', 'rank'] as const).filter((f) => after[f] !== before[f])
    if (fields.length === 0) return presentColumn(before)
    const column = await store.updateColumn(ctx, id, after)
    if (!column) throw columnNotFound()
    const data = { column: column.name, fields, from: some(before, fields), to: some(column, fields) }
    await record(ctx, before.board_id, 'column.updated', data)
    if (!fields.includes('status')) return presentColumn(column)
    const actor = boardActorOf(ctx.actor)
    if (ids.length <= atOnce) {
      await carryCards(ctx, locked, { from: column, to: column, ids, actor })
      await store.updateChanging(ctx, id, 0)
      return presentColumn({ ...column, cards_changing: 0 })
    }
    const cards_changing = await countCards(ctx, { board_id: before.board_id, column_id: id })
    await store.updateChanging(ctx, id, cards_changing)
    await ctx.enqueue(carryColumn, { brand_id: ctx.brandId, column_id: id, actor })
    return presentColumn({ ...column, cards_changing })
  })

const some = <T extends object, K extends keyof T>(row: T, fields: readonly K[]) =>
  Object.fromEntries(fields.map((field) => [field, row[field]]))

export const removeColumn = (ctx: BrandCtx, id: string, move_to: string | undefined) =>
  withColumn(ctx, id, undefined, async (ctx, { column, locked, ids }) => {
    const { board_id } = column
    const columns = await store.listColumns(ctx, board_id)
    if (column.moving_to !== null || columns.some(({ moving_to }) => moving_to === id)) throw columnBusy()
    if (columns.filter(({ moving_to }) => moving_to === null).length === 1) throw lastColumn()
    const target = columns.find((each) => each.id === move_to && each.id !== id && each.moving_to === null)
    if (ids.length > 0 && !target) throw columnNotEmpty()
    const actor = boardActorOf(ctx.actor)
    if (target && ids.length > atOnce) {
      const cards_moving = await countCards(ctx, { board_id, column_id: id })
      await store.updateMovingTo(ctx, id, target.id, cards_moving)
      await ctx.enqueue(carryColumn, { brand_id: ctx.brandId, column_id: id, actor })
      return { removed: false as const, cards_moved: 0, cards_moving }
    }
    if (target) await carryCards(ctx, locked, { from: column, to: target, ids, actor })
    await endColumn(ctx, column, target, actor)
    return { removed: true as const, cards_moved: ids.length }
  })

/**
 * Before the named column; without a name, at the end. Where its rank would be too long, all columns get new ones in
 * the same order.
 */
async function rankBefore(
  ctx: BrandTx,
  board_id: string,
  columns: readonly store.ColumnRow[],
  before_id: string | undefined,
): Promise<string> {
  const at = before_id === undefined ? columns.length : columns.findIndex(({ id }) => id === before_id)
  if (at < 0) throw columnNotFound()
  const rank = generateKeyBetween(columns[at - 1]?.rank ?? null, columns[at]?.rank ?? null)
  if (rank.length <= longestRank) return rank
  const ranks = generateNKeysBetween(null, null, columns.length + 1)
  const [mine] = ranks.splice(at, 1)
  await store.updateColumnRanks(
    ctx,
    board_id,
    columns.map(({ id }, place) => ({ id, rank: ranks[place] as string })),
  )
  return mine as string
}

interface LockedColumn {
  readonly column: store.ColumnRow
  readonly locked: LockedBoards
  /** Cards that would change with it; more than a request changes at once only say that there are more. */
  readonly ids: readonly string[]
}

/** With the boards of cards that wait for those in it. `status` is the one it is to get, if it stays. */
const withColumn = <T>(
  ctx: BrandCtx,
  id: string,
  status: CardStatus | undefined,
  work: (ctx: BrandTx, at: LockedColumn) => Promise<T>,
): Promise<T> =>
  ctx.tx(async (ctx) => {
    const seen = await store.findColumn(ctx, id)
    if (!seen) throw columnNotFound()
    const at = { board_id: seen.board_id, column_id: id, limit: atOnce + 1 }
    const list = () =>
      status === undefined
        ? listFirstCards(ctx, at)
        : listCardsOfOtherStatus(ctx, { ...at, status, rank: '' })
    const locked = await lockBoardsOf(
      ctx,
      seen.board_id,
      (await list()).map(({ id }) => id),
    )
    openBoardOf(locked, seen.board_id)
    // Read again: it may have been removed while we waited, and cards may have come.
    const column = await store.findColumn(ctx, id)
    if (!column) throw columnNotFound()
    return work(ctx, { column, locked, ids: (await list()).map(({ id }) => id) })
  })

const record = (ctx: BrandTx, board_id: string, action: string, data: Record<string, unknown>) =>
  recordActivity(ctx, { board_id, action, card_id: null, actor: boardActorOf(ctx.actor), data })
