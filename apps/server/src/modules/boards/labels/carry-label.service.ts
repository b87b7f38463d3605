import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import { carryLabel } from '@crewhall/contracts/boards/jobs.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { lockBoards } from '../boards/boards.store.ts'
import { queryOf } from '../find/find.rules.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import * as store from './labels.store.ts'

/** Cards per transaction, which bounds how long other writers of the board wait. */
const biteSize = 200

/** What a request changes itself; a job does more than that. */
export async function beginCarrying(ctx: BrandTx, leaving: store.LabelRow, actor: Actor): Promise<void> {
  if (await carryBite(ctx, leaving, actor)) return
  const { id: label_id, board_id } = leaving
  await ctx.enqueue(carryLabel, { brand_id: ctx.brandId, board_id, label_id, actor })
}

/** Cards with a label that is leaving lose it or get the next one. Returns whether none is left, and the label is gone. */
async function carryBite(ctx: BrandTx, leaving: store.LabelRow, actor: Actor): Promise<boolean> {
  const { id, board_id, name, moving_to } = leaving
  const marks = queryOf(ctx.brandId, { board: [board_id], label: [name] })
  const found = await store.listLabelled(ctx, marks, biteSize + 1)
  const ids = found.slice(0, biteSize)
  if (ids.length > 0) {
    const to = moving_to === null ? null : ((await store.findLabel(ctx, moving_to))?.name ?? null)
    await store.updateLabelled(ctx, { ids, from: name, to, by: actor })
    const data = { task_ids: ids, from: { label: name }, to: { label: to } }
    await recordActivity(ctx, { board_id, action: 'task.batch_changed', card_id: null, actor, data })
  }
  if (found.length > biteSize) return false
  await store.deleteLabel(ctx, id)
  return true
}

interface Carrying {
  readonly board_id: string
  readonly label_id: string
  readonly actor: Actor
}

/** Goes on until no card has it. What is written with the old name meanwhile is found by a later bite. */
export async function carryOn(
  ctx: BrandCtx,
  { board_id, label_id, actor }: Carrying,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const isDone = await ctx.tx(async (ctx) => {
      await lockBoards(ctx, [board_id])
      const label = await store.findLabel(ctx, label_id)
      return !label?.is_leaving || (await carryBite(ctx, label, actor))
    })
    if (isDone) return
  }
  // Not done: the queue gives it to the next run.
  signal.throwIfAborted()
}
