import {
  type Actor,
  type FullCard,
  longFieldNames,
  type SummaryCard,
} from '@crewhall/contracts/boards/card-fields.ts'
import type { CardChange, CardMove, Receipt, WrittenCard } from '@crewhall/contracts/boards/cards.ts'
import {
  boardNotFound,
  boardOfOther,
  cardNotFound,
  columnFull,
  noSuchNeighbour,
  versionMoved,
} from '@crewhall/contracts/boards/refusals.ts'
import { Refusal } from '@crewhall/contracts/refusal.ts'
import { generateKeyBetween } from 'fractional-indexing'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { LongList } from '#platform/http/list-answer.ts'
import * as boardStore from '../boards/boards.store.ts'
import * as columnStore from '../boards/columns.store.ts'
import { receiptFields, valuesAfter } from '../card-data/card-values.rules.ts'
import { presentFull, presentStandard, presentSummary } from '../card-data/cards.present.ts'
import {
  deriveChanged,
  deriveColumn,
  deriveSource,
  deriveTimes,
  isOver,
  mayEnd,
} from '../card-data/cards.rules.ts'
import * as store from '../card-data/cards.store.ts'
import * as ranks from '../card-data/ranks.store.ts'
import { endClaim } from '../leases/claim-end.service.ts'
import { recountWaiting } from '../relations/waiting.service.ts'
import { planTelling } from '../telling/tell-change.service.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import { deriveTold } from '../writes/told-changes.rules.ts'
import { readFullCards } from './full-cards.service.ts'
import {
  type Conditions,
  type LockedCard,
  refuseArchived,
  refuseUnmet,
  type Versions,
  withCard,
  withCardAndWaiting,
} from './locked-card.service.ts'
import { rankBetween } from './ranks.service.ts'
import { findCardId } from './task-ids.service.ts'
import { type Workers, workersOf } from './workers.service.ts'

interface ListQuery {
  readonly page?: number | undefined
  readonly per_page: number
}

/** Three projections of one query: what is in the page and in which order does not depend on the detail. */
export async function listCardPage(
  ctx: BrandCtx,
  board_id: string,
  { detail, page = 1, per_page }: ListQuery & { readonly detail: 'summary' | 'standard' },
) {
  const at = { board_id, limit: per_page, offset: (page - 1) * per_page }
  const read = detail === 'summary' ? readSummaries(ctx, at) : readStandard(ctx, at)
  const [board, rows] = await Promise.all([boardStore.findBoard(ctx, board_id), read])
  if (!board) throw await noBoard(ctx, board_id)
  return { items: rows(board), total: board.card_count, page, per_page }
}

export async function listFullPage(
  ctx: BrandCtx,
  board_id: string,
  { page = 1, per_page }: ListQuery,
): Promise<LongList<FullCard>> {
  const at = { board_id, limit: per_page, offset: (page - 1) * per_page }
  const [board, cards] = await Promise.all([
    boardStore.findBoard(ctx, board_id),
    store.listSizedCards(ctx, at),
  ])
  if (!board) throw await noBoard(ctx, board_id)
  return { head: { total: board.card_count, page, per_page }, batches: readFullCards(ctx, board, cards) }
}

const noBoard = async (ctx: BrandCtx, board_id: string) =>
  (await boardStore.hasBoardAnywhere(ctx, board_id)) ? boardOfOther() : boardNotFound()

async function readSummaries(ctx: BrandCtx, at: store.CardPage) {
  const rows = await store.listSummaryCards(ctx, at)
  return (board: boardStore.BoardRow): SummaryCard[] => rows.map((row) => presentSummary(board, row))
}

async function readStandard(ctx: BrandCtx, at: store.CardPage) {
  const rows = await store.listStandardCards(ctx, at)
  return (board: boardStore.BoardRow): SummaryCard[] => rows.map((row) => presentStandard(board, row))
}

export async function getCard(ctx: BrandCtx, id: string): Promise<FullCard> {
  const row = await store.findCard(ctx, id)
  const board = row && (await boardStore.findBoard(ctx, row.board_id))
  if (!row || !board) throw cardNotFound()
  return presentFull(board, row)
}

/** Whether the column is full; where the board enforces its limits, that is refused. */
export function isOverLimit(
  { wip_limits }: Pick<boardStore.BoardRow, 'wip_limits'>,
  { wip_limit, card_count }: columnStore.ColumnRow,
): boolean {
  const isFull = wip_limit !== null && card_count >= wip_limit
  if (isFull && wip_limits === 'enforced') throw columnFull()
  return isFull
}

export interface Added {
  readonly card: FullCard
  readonly is_over_limit: boolean
}

/** For a caller that knows what it has written. */
export const writtenOf = ({ card, is_over_limit }: Added): WrittenCard => ({
  task_id: card.id,
  ref: card.ref,
  version: card.version,
  column: card.column.name,
  over_limit: is_over_limit,
})

/** The answer as a whole or as a receipt; both are made from the same two states of the card. */
export interface Changed extends Added {
  readonly receipt: Receipt
}

export async function changeCard(
  ctx: BrandCtx,
  id: string,
  change: CardChange,
  versions?: Versions,
): Promise<Changed> {
  const workers = await workersOf(ctx, change)
  return onCard(ctx, id, { mayEnd: mayEnd(change), versions, epoch: change.claim_epoch }, async (ctx, at) => {
    const { board, card: before } = at
    refuseMoved(before, change.if_version)
    const columns = await columnStore.listColumns(ctx, board.id)
    const from = columns.find((each) => each.id === before.column_id)
    const column = settled(deriveColumn(columns, from, change))
    const isMoved = column.id !== before.column_id
    const spot = { board_id: board.id, column_id: column.id }
    const rank = isMoved ? generateKeyBetween(await ranks.findLastRank(ctx, spot), null) : before.rank
    return write(ctx, at, { change, workers, column, rank })
  })
}

export const moveCard = (ctx: BrandCtx, id: string, move: CardMove, versions?: Versions): Promise<Changed> =>
  onCard(
    ctx,
    id,
    { mayEnd: mayEnd({ column: move.column }), versions, epoch: move.claim_epoch },
    async (ctx, at) => {
      const { board, card: before } = at
      refuseMoved(before, move.if_version)
      const columns = await columnStore.listColumns(ctx, board.id)
      const from = columns.find((each) => each.id === before.column_id)
      const column = settled(deriveColumn(columns, from, { column: move.column }))
      const rank = await rankAt(ctx, column, before, move)
      const change = { claim_epoch: move.claim_epoch }
      return write(ctx, at, { change, workers: {}, column, rank })
    },
  )

/** Between the named card and its neighbour; without a name, at the end. */
async function rankAt(
  ctx: BrandTx,
  column: columnStore.ColumnRow,
  card: store.FullRow,
  { before_id, after_id }: CardMove,
): Promise<string> {
  const spot = { board_id: column.board_id, column_id: column.id }
  const named = before_id ?? after_id
  if (named === undefined) {
    const last = await ranks.findLastRank(ctx, spot)
    return last === card.rank && spot.column_id === card.column_id ? last : generateKeyBetween(last, null)
  }
  const beside = async (task_id: string) => {
    const id = await findCardId(ctx, task_id)
    const other = id === undefined ? undefined : await store.findCard(ctx, id)
    if (!other || other.column_id !== spot.column_id || other.id === card.id) throw noSuchNeighbour()
    return { ...spot, rank: other.rank, besides: card.id }
  }
  const by = { card, actor: boardActorOf(ctx.actor) }
  if (after_id === undefined) {
    const below = await beside(named)
    const above = await ranks.findRankBefore(ctx, below)
    return rankBetween(ctx, column, { above, below: below.rank }, by)
  }
  const above = await beside(after_id)
  // With both, the card goes right under the upper one, and the lower one has to be below it.
  if (before_id !== undefined && (await beside(before_id)).rank <= above.rank) throw noSuchNeighbour()
  const below = await ranks.findRankAfter(ctx, above)
  return rankBetween(ctx, column, { above: above.rank, below }, by)
}

export const archiveCard = (
  ctx: BrandCtx,
  id: string,
  archived: boolean,
  conditions: Conditions = {},
): Promise<FullCard> =>
  withCardAndWaiting(ctx, id, async (ctx, at) => {
    const { board, card: before } = at
    refuseUnmet(at, conditions)
    if ((before.archived_at !== null) === archived) return presentFull(board, before)
    const by = boardActorOf(ctx.actor)
    await store.updateCardArchived(ctx, id, archived, by)
    await columnStore.updateColumnCount(ctx, before.column_id, archived ? -1 : 1)
    await boardStore.updateCardCount(ctx, board.id, archived ? -1 : 1)
    const action = archived ? 'task.archived' : 'task.restored'
    await recordActivity(ctx, { board_id: board.id, action, card_id: id, actor: by, data: {} })
    await endWork(ctx, before, { actor: by, reason: 'archived', epoch: conditions.epoch })
    await recountWaiting(ctx, at.locked, { blockers: [id], actor: by })
    return read(ctx, board, id)
  })

interface Write {
  readonly change: CardChange
  readonly workers: Workers
  readonly column: columnStore.ColumnRow
  readonly rank: string
}

async function write(
  ctx: BrandTx,
  { board, card: before, locked }: LockedCard,
  { change, workers, column, rank }: Write,
): Promise<Changed> {
  const by = boardActorOf(ctx.actor)
  const now = board.locked_at
  const isMoved = column.id !== before.column_id
  const is_over_limit = isMoved && isOverLimit(board, column)
  const { values, texts } = valuesAfter(before, change, {
    column_id: column.id,
    rank,
    title: change.title ?? before.title,
    status: column.status,
    assignee: workers.assignee === undefined ? before.assignee : workers.assignee,
    delegate: workers.delegate === undefined ? before.delegate : workers.delegate,
    updated_by: by,
    source: deriveSource(before, by, change),
    ...deriveTimes(before, column.status, now),
    moved_at: isMoved ? now : before.moved_at,
    updated_at: now,
  })
  const was = presentFull(board, before)
  const wanted = {
    ...values,
    ...texts,
    column: { id: column.id, name: column.name },
    assignee: workers.assignee === undefined ? was.assignee : workers.assignee,
    delegate: workers.delegate === undefined ? was.delegate : workers.delegate,
    agent_context: change.agent_context ?? was.agent_context,
  }
  const changed = deriveChanged(was, wanted, receiptFields)
  const receipt = (): Receipt => ({
    task_id: before.id,
    changed,
    from_column: before.column_name,
    to_column: column.name,
  })
  const fields = Object.keys(changed)
  if (fields.length === 0 && rank === before.rank) return { card: was, receipt: receipt(), is_over_limit }
  const entry = { board_id: board.id, card_id: before.id, actor: by }
  const others = fields.filter((field) => field !== 'column' && field !== 'status')
  const isEnd = column.status === 'done' || column.status === 'canceled'
  const isRecount = isOver(before.status) !== isOver(column.status)
  const telling = await planTelling(ctx, was, wanted, by)
  // Independent statements go out together, because everyone else waits for the lock.
  const sent: Promise<unknown>[] = [
    store.updateCard(ctx, before.id, values),
    // Up to half a megabyte together: only what has changed is written.
    ...longFieldNames
      .filter((field) => field in changed)
      .map((field) => store.updateCardText(ctx, before.id, field, texts[field])),
  ]
  if (isMoved) {
    sent.push(columnStore.updateColumnCount(ctx, before.column_id, -1))
    sent.push(columnStore.updateColumnCount(ctx, column.id, 1))
  }
  // A new place in the same column is a move too: readers of the feed have to see it.
  if (isMoved || rank !== before.rank) {
    const data = { from: before.column_name, to: column.name }
    const changes = deriveTold(changed, ['column', 'status'])
    sent.push(recordActivity(ctx, { ...entry, action: 'task.moved', data, changes }))
  }
  if (others.length > 0) {
    const changes = deriveTold(changed, others)
    sent.push(
      recordActivity(ctx, {
        ...entry,
        action: 'task.updated',
        data: { fields: others },
        changes,
        mentions: telling.mentions,
      }),
    )
  }
  sent.push(...telling.send())
  const shown = isEnd || isRecount ? undefined : read(ctx, board, before.id)
  await ctx.db.inOrder(shown ? [...sent, shown] : sent)
  if (isEnd) await endWork(ctx, before, { actor: by, reason: column.status, epoch: change.claim_epoch })
  if (isRecount) await recountWaiting(ctx, locked, { blockers: [before.id], actor: by })
  const card = await (shown ?? read(ctx, board, before.id))
  return { card, receipt: receipt(), is_over_limit }
}

function refuseMoved({ version }: store.FullRow, wanted: number | undefined): void {
  if (wanted !== undefined && wanted !== version) throw versionMoved()
}

interface WorkEnd {
  readonly actor: Actor
  readonly reason: 'done' | 'canceled' | 'archived'
  readonly epoch: number | undefined
}

/** Nobody holds what is over. Who ended it under its own claim may still say what came of its run. */
async function endWork(ctx: BrandTx, card: store.FullRow, { actor, reason, epoch }: WorkEnd): Promise<void> {
  if (!card.is_claimed) return
  await endClaim(ctx, card, { action: 'task.released', actor, reason, mayReport: epoch !== undefined })
}

const onCard = <T>(
  ctx: BrandCtx,
  id: string,
  { mayEnd, ...conditions }: Conditions & { readonly mayEnd: boolean },
  work: (ctx: BrandTx, at: LockedCard) => Promise<T>,
) =>
  (mayEnd ? withCardAndWaiting : withCard)(ctx, id, (ctx, at) => {
    refuseUnmet(at, conditions)
    refuseArchived(at)
    return work(ctx, at)
  })

async function read(ctx: BrandTx, board: boardStore.BoardRow, id: string): Promise<FullCard> {
  const row = await store.findCard(ctx, id)
  if (!row) throw cardNotFound()
  return presentFull(board, row)
}

export function settled<T>(value: T | Refusal): T {
  if (value instanceof Refusal) throw value
  return value
}
