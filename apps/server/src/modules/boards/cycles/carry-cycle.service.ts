import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import { carryCycle } from '@crewhall/contracts/boards/cycles.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { lockBoards } from '../boards/boards.store.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import * as store from './cycles.store.ts'

/** Cards per transaction, which bounds how long other writers of the board wait. */
const biteSize = 200

/** Into a cycle, or into none. The feed names those that were not there yet. */
export async function moveCards(
  ctx: BrandTx,
  board_id: string,
  ids: readonly string[],
  to: store.CycleRow | undefined,
  actor: Actor,
): Promise<void> {
  const is_added = to?.started_at != null
  const moved = await store.updateCardCycles(ctx, { ids, cycle_id: to?.id ?? null, is_added })
  if (moved.length === 0) return
  const data = { task_ids: moved, to: { cycle_id: to?.id ?? null, cycle: to?.name ?? null } }
  await recordActivity(ctx, { board_id, action: 'task.batch_changed', card_id: null, actor, data })
}

/** What a request moves itself; a job does more than that. */
export async function beginCarrying(ctx: BrandTx, closed: store.CycleRow, actor: Actor): Promise<void> {
  if (await carryBite(ctx, closed, actor)) return
  const { id: cycle_id, board_id } = closed
  await ctx.enqueue(carryCycle, { brand_id: ctx.brandId, board_id, cycle_id, actor })
}

/** Returns whether no open card is left. */
async function carryBite(
  ctx: BrandTx,
  { id, board_id, carry_to }: store.CycleRow,
  actor: Actor,
): Promise<boolean> {
  const open = await store.listOpenCards(ctx, id, biteSize + 1)
  const target = carry_to === null ? undefined : await store.findCycle(ctx, carry_to)
  // One that was closed or removed meanwhile takes no cards.
  const to = target?.closed_at === null ? target : undefined
  const bite = open.slice(0, biteSize)
  if (bite.length > 0) await moveCards(ctx, board_id, bite, to, actor)
  if (open.length > biteSize) return false
  await store.updateCarried(ctx, id)
  return true
}

interface Carrying {
  readonly board_id: string
  readonly cycle_id: string
  readonly actor: Actor
}

/** Goes on until no open card is left. */
export async function carryOn(
  ctx: BrandCtx,
  { board_id, cycle_id, actor }: Carrying,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const isDone = await ctx.tx(async (ctx) => {
      await lockBoards(ctx, [board_id])
      const cycle = await store.findCycle(ctx, cycle_id)
      return !cycle?.is_carrying || (await carryBite(ctx, cycle, actor))
    })
    if (isDone) return
  }
  // Not done: the queue gives it to the next run.
  signal.throwIfAborted()
}
