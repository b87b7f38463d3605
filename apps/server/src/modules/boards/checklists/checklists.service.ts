import {
  type ChecklistItem,
  checklistLimit,
  itemNotFound,
  mostItems,
  noSuchItemBeside,
} from '@crewhall/contracts/boards/checklists.ts'
import { cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { findBoardOfCard } from '../card-data/cards.store.ts'
import { type LockedCard, refuseArchived, refuseUnmet, withCard } from '../cards/locked-card.service.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import { orderAfter } from './checklists.rules.ts'
import * as store from './checklists.store.ts'

interface Checklist {
  readonly items: ChecklistItem[]
}

export async function readChecklist(ctx: BrandCtx, card_id: string): Promise<Checklist> {
  const [board_id, items] = await Promise.all([findBoardOfCard(ctx, card_id), store.listItems(ctx, card_id)])
  if (board_id === undefined) throw cardNotFound()
  return { items: items.map(presentItem) }
}

interface Addition {
  readonly checklist: readonly string[]
  readonly claim_epoch?: number | undefined
}

export const addItems = (ctx: BrandCtx, card_id: string, { checklist, claim_epoch }: Addition) =>
  onChecklist(ctx, card_id, claim_epoch, async (ctx, items) => {
    if (items.length + checklist.length > mostItems) throw checklistLimit()
    const last = items.at(-1)?.place ?? 0
    await store.insertItems(
      ctx,
      checklist.map((text, at) => ({ card_id, text, place: last + 1 + at })),
    )
  })

interface ItemChange {
  readonly text?: string | undefined
  readonly done?: boolean | undefined
  readonly before_id?: string | undefined
  readonly after_id?: string | undefined
  readonly claim_epoch?: number | undefined
}

export async function changeItem(ctx: BrandCtx, id: string, change: ItemChange): Promise<ChecklistItem> {
  const { items } = await onItem(ctx, id, change.claim_epoch, async (ctx, item, all) => {
    const ids = all.map((each) => each.id)
    const order = orderAfter(ids, id, change)
    if (!order) throw noSuchItemBeside()
    const { text = item.text, done = item.done_by !== null } = change
    // Who checks it again does not take it over.
    const done_by = done ? (item.done_by ?? boardActorOf(ctx.actor)) : null
    const isSame = text === item.text && done === (item.done_by !== null)
    const isMoved = order.some((each, at) => each !== ids[at])
    if (!isSame) await store.updateItem(ctx, { id, text, done_by })
    if (isMoved) await store.updatePlaces(ctx, order)
    return !isSame || isMoved
  })
  const changed = items.find((each) => each.id === id)
  if (!changed) throw itemNotFound()
  return changed
}

export const removeItem = (ctx: BrandCtx, id: string): Promise<Checklist> =>
  onItem(ctx, id, undefined, (ctx) => store.deleteItem(ctx, id))

/** Says whether it has changed anything; everything but false counts as a change. */
type Work<Args extends readonly unknown[]> = (ctx: BrandTx, ...args: Args) => Promise<unknown>

async function onItem(
  ctx: BrandCtx,
  id: string,
  epoch: number | undefined,
  work: Work<[store.ItemRow, readonly store.ItemRow[]]>,
): Promise<Checklist> {
  const card_id = await store.findCardOfItem(ctx, id)
  if (card_id === undefined) throw itemNotFound()
  return onChecklist(ctx, card_id, epoch, (ctx, items) => {
    const item = items.find((each) => each.id === id)
    if (!item) throw itemNotFound()
    return work(ctx, item, items)
  })
}

const onChecklist = (
  ctx: BrandCtx,
  card_id: string,
  epoch: number | undefined,
  work: Work<[readonly store.ItemRow[]]>,
): Promise<Checklist> =>
  withCard(ctx, card_id, async (ctx, at) => {
    refuseUnmet(at, { epoch })
    refuseArchived(at)
    const before = await store.listItems(ctx, card_id)
    if ((await work(ctx, before)) === false) return { items: before.map(presentItem) }
    const items = await store.listItems(ctx, card_id)
    await settle(ctx, at, items)
    return { items: items.map(presentItem) }
  })

/** The card knows how many there are, and the feed says so, too. */
async function settle(ctx: BrandTx, { board, card }: LockedCard, items: readonly store.ItemRow[]) {
  const counts = { total: items.length, done: items.filter(({ done_at }) => done_at !== null).length }
  await store.updateItemCounts(ctx, card.id, counts)
  await recordActivity(ctx, {
    board_id: board.id,
    action: 'task.updated',
    card_id: card.id,
    actor: boardActorOf(ctx.actor),
    data: { fields: ['checklist'], checklist: counts },
  })
}

export const presentItem = ({
  id,
  card_id,
  text,
  done_by,
  done_at,
  created_at,
}: store.ItemRow): ChecklistItem => ({
  id,
  task_id: card_id,
  text,
  done: done_at !== null,
  done_by,
  done_at,
  created_at,
})
