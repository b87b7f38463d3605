import {
  type Label,
  labelBusy,
  labelLimit,
  labelNameTaken,
  labelNotFound,
  mostLabels,
  noSuchTarget,
} from '@crewhall/contracts/boards/labels.ts'
import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { Paging } from '@crewhall/contracts/wire.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { lockOpenBoard } from '../boards/boards.service.ts'
import { findBoard } from '../boards/boards.store.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import { beginCarrying } from './carry-label.service.ts'
import * as store from './labels.store.ts'

export async function listLabelPage(ctx: BrandCtx, board_id: string, { page, per_page }: Paging) {
  if (!(await findBoard(ctx, board_id))) throw boardNotFound()
  const [labels, { total }] = await Promise.all([
    store.listLabels(ctx, { board_id, limit: per_page, offset: (page - 1) * per_page }),
    store.countLabels(ctx, board_id),
  ])
  return { items: labels.map(present), total, page, per_page }
}

interface NewLabel {
  readonly name: string
  readonly color?: string | null | undefined
}

export const addLabel = (ctx: BrandCtx, board_id: string, { name, color = null }: NewLabel) =>
  ctx.tx(async (ctx) => {
    await lockOpenBoard(ctx, board_id)
    const known = await store.findLabelNamed(ctx, board_id, name)
    if (known?.is_leaving) throw labelBusy()
    if (known?.is_kept) throw labelNameTaken()
    if ((await store.countLabels(ctx, board_id)).kept >= mostLabels) throw labelLimit()
    const id = await store.insertLabel(ctx, { board_id, name, color })
    await record(ctx, board_id, 'label.created', { label: name })
    return shown(ctx, id ?? '')
  })

interface LabelChange {
  readonly name?: string | undefined
  readonly color?: string | null | undefined
}

export const changeLabel = (ctx: BrandCtx, id: string, change: LabelChange): Promise<Label> =>
  withLabel(ctx, id, async (ctx, label) => {
    const { name = label.name, color = label.color } = change
    const fields = [...(name === label.name ? [] : ['name']), ...(color === label.color ? [] : ['color'])]
    if (fields.length === 0) return present(label)
    if (name !== label.name) await refuseTaken(ctx, label.board_id, name)
    const to = { label: name, color }
    const data = { fields, from: { label: label.name, color: label.color }, to }
    await record(ctx, label.board_id, 'label.updated', data)
    if (color !== label.color) await store.updateColor(ctx, id, color)
    if (name !== label.name) {
      const leaving = await store.updateName(ctx, label, name)
      if (leaving) await beginCarrying(ctx, leaving, boardActorOf(ctx.actor))
    }
    return shown(ctx, id)
  })

async function refuseTaken(ctx: BrandTx, board_id: string, name: string): Promise<void> {
  const known = await store.findLabelNamed(ctx, board_id, name)
  if (known) throw known.is_leaving ? labelBusy() : labelNameTaken()
}

export const mergeLabel = (ctx: BrandCtx, id: string, into: string): Promise<Label> =>
  withLabel(ctx, id, async (ctx, label) => {
    const target = await store.findLabel(ctx, into)
    const isOther = target && target.id !== id && target.board_id === label.board_id && !target.is_leaving
    if (!isOther) throw noSuchTarget()
    const data = { from: { label: label.name }, to: { label: target.name } }
    await record(ctx, label.board_id, 'label.merged', data)
    await store.updateColor(ctx, into, target.color)
    await leave(ctx, label, into)
    return shown(ctx, into)
  })

export const removeLabel = (ctx: BrandCtx, id: string) =>
  withLabel(ctx, id, async (ctx, label) => {
    await record(ctx, label.board_id, 'label.deleted', { label: label.name })
    await leave(ctx, label, null)
    return { removed: true as const, cards_changing: (await store.findLabel(ctx, id))?.card_count ?? 0 }
  })

async function leave(ctx: BrandTx, label: store.LabelRow, moving_to: string | null): Promise<void> {
  await store.updateLeaving(ctx, label.id, moving_to)
  await beginCarrying(ctx, { ...label, is_leaving: true, moving_to }, boardActorOf(ctx.actor))
}

/** Under the lock of its board. One that is leaving is gone for everybody. */
const withLabel = <T>(
  ctx: BrandCtx,
  id: string,
  work: (ctx: BrandTx, label: store.ShownLabel) => Promise<T>,
): Promise<T> =>
  ctx.tx(async (ctx) => {
    const seen = await store.findLabel(ctx, id)
    if (!seen || seen.is_leaving) throw labelNotFound()
    await lockOpenBoard(ctx, seen.board_id)
    const label = await store.findLabel(ctx, id)
    if (!label || label.is_leaving) throw labelNotFound()
    return work(ctx, label)
  })

async function shown(ctx: BrandTx, id: string): Promise<Label> {
  const label = await store.findLabel(ctx, id)
  if (!label) throw labelNotFound()
  return present(label)
}

const record = (ctx: BrandTx, board_id: string, action: string, data: Record<string, unknown>) =>
  recordActivity(ctx, { board_id, action, card_id: null, actor: boardActorOf(ctx.actor), data })

const present = ({
  id,
  board_id,
  name,
  color,
  card_count,
  cards_changing,
  created_at,
}: store.ShownLabel): Label => ({
  id,
  board_id,
  name,
  color,
  card_count: card_count + cards_changing,
  cards_changing,
  created_at,
})
