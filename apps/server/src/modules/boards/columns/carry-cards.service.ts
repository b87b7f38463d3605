import type { Actor, CardStatus } from '@crewhall/contracts/boards/card-fields.ts'
import { generateNKeysBetween } from 'fractional-indexing'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { type LockedBoards, lockBoards } from '../boards/boards.store.ts'
import * as store from '../boards/columns.store.ts'
import { isOver } from '../card-data/cards.rules.ts'
import { findLastRank } from '../card-data/ranks.store.ts'
import { endClaim } from '../leases/claim-end.service.ts'
import { recountWaiting } from '../relations/waiting.service.ts'
import { listBoardsOfWaiting } from '../relations/waiting.store.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import * as cards from './column-cards.store.ts'

/** Cards per transaction, which bounds how long other writers of the board wait. */
export const biteSize = 250
/** What a request changes itself; a job does more than that. */
export const atOnce = 2 * biteSize

interface Carry {
  readonly from: store.ColumnRow
  /** The same one when only its status has changed. */
  readonly to: store.ColumnRow
  readonly ids: readonly string[]
  readonly actor: Actor
}

/**
 * Cards take over a column and its status, with all that follows: times, counts, claims of what is over, cards that
 * waited for them, and one entry in the feed that names them all. The boards of those that wait have to be locked.
 */
export async function carryCards(
  ctx: BrandTx,
  locked: LockedBoards,
  { from, to, ids, actor }: Carry,
): Promise<number> {
  const { board_id } = from
  const isMoved = from.id !== to.id
  const present = await cards.lockCardsOfColumn(ctx, { board_id, column_id: from.id, ids })
  const bitten = inOrder(present.filter(({ status }) => isMoved || status !== to.status))
  if (bitten.length === 0) return 0
  const ranks = isMoved
    ? generateNKeysBetween(await findLastRank(ctx, { board_id, column_id: to.id }), null, bitten.length)
    : bitten.map(({ rank }) => rank)
  const task_ids = bitten.map(({ id }) => id)
  const target = { board_id, column_id: to.id, status: to.status }
  await cards.updateColumnOfCards(ctx, { ...target, cards: task_ids, ranks, updated_by: actor })
  const shown = bitten.filter(({ archived_at }) => archived_at === null).length
  if (isMoved) {
    await store.updateColumnCount(ctx, from.id, -shown)
    await store.updateColumnCount(ctx, to.id, shown)
  }
  for (const [status, some] of Map.groupBy(bitten, (card) => card.status)) {
    const data = {
      task_ids: some.map(({ id }) => id),
      from: { column: from.name, status },
      to: { column: to.name, status: to.status },
    }
    await recordActivity(ctx, { board_id, action: 'task.batch_changed', card_id: null, actor, data })
  }
  await endWork(ctx, bitten, to.status, actor)
  const turned = bitten.filter(({ status }) => isOver(status) !== isOver(to.status))
  if (turned.length > 0) {
    await recountWaiting(ctx, locked, { blockers: turned.map(({ id }) => id), actor })
  }
  return bitten.length
}

const inOrder = (rows: readonly cards.BittenRow[]) => [...rows].sort((a, b) => (a.rank < b.rank ? -1 : 1))

async function endWork(
  ctx: BrandTx,
  bitten: readonly cards.BittenRow[],
  status: CardStatus,
  actor: Actor,
): Promise<void> {
  if (status !== 'done' && status !== 'canceled') return
  for (const card of bitten) {
    if (card.is_claimed) await endClaim(ctx, card, { action: 'task.released', actor, reason: status })
  }
}

/** Locks the board of a column and those of the cards that wait for any of these. */
export async function lockBoardsOf(ctx: BrandTx, board_id: string, ids: readonly string[]) {
  return lockBoards(ctx, [board_id, ...(ids.length === 0 ? [] : await listBoardsOfWaiting(ctx, ids))])
}

/** Goes on with a change that was too large for one request, until it is done. */
export async function carryOn(
  ctx: BrandCtx,
  { column_id, actor }: { readonly column_id: string; readonly actor: Actor },
  signal: AbortSignal,
): Promise<void> {
  let rank = ''
  while (!signal.aborted) {
    const bite = await ctx.tx((ctx) => takeBite(ctx, { column_id, actor, rank }))
    if (bite === undefined) return
    rank = bite.rank
  }
  // Not done: the queue gives it to the next run.
  signal.throwIfAborted()
}

async function takeBite(
  ctx: BrandTx,
  { column_id, actor, rank }: { column_id: string; actor: Actor; rank: string },
): Promise<{ rank: string } | undefined> {
  const seen = await store.findColumn(ctx, column_id)
  if (!seen) return undefined
  const at = { board_id: seen.board_id, column_id, limit: biteSize }
  const found = seen.moving_to
    ? await cards.listFirstCards(ctx, at)
    : await cards.listCardsOfOtherStatus(ctx, { ...at, status: seen.status, rank })
  const ids = found.map(({ id }) => id)
  const locked = await lockBoardsOf(ctx, seen.board_id, ids)
  const from = await store.findColumn(ctx, column_id)
  if (!from) return undefined
  const to = from.moving_to ? await store.findColumn(ctx, from.moving_to) : from
  if (!to) throw new Error('the column that cards go to is gone')
  const carried = await carryCards(ctx, locked, { from, to, ids, actor })
  const last = found.at(-1)
  if (last) {
    await store.updateChanging(ctx, column_id, Math.max(0, from.cards_changing - carried))
    return { rank: from.moving_to ? '' : last.rank }
  }
  // Once more from the beginning: what came in behind us meanwhile.
  if (rank !== '') return { rank: '' }
  if (from.moving_to) await endColumn(ctx, from, to, actor)
  else await store.updateChanging(ctx, column_id, 0)
  return undefined
}

export async function endColumn(
  ctx: BrandTx,
  column: store.ColumnRow,
  target: store.ColumnRow | undefined,
  actor: Actor,
): Promise<void> {
  await store.deleteColumn(ctx, column.id)
  const data = { column: column.name, move_to: target?.name ?? null }
  await recordActivity(ctx, {
    board_id: column.board_id,
    action: 'column.deleted',
    card_id: null,
    actor,
    data,
  })
}
