import { cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import { refOf } from '@crewhall/contracts/boards/task-ids.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { findCardByRef } from '../card-data/cards.store.ts'

export async function findCardId(ctx: BrandCtx, task_id: string): Promise<string | undefined> {
  const ref = refOf(task_id)
  return ref ? findCardByRef(ctx, ref) : task_id
}

/**
 * The id of a card that was named by its id or its ref. Keys of boards and numbers of cards never change, so this may be
 * asked before anything is locked. An id is not looked up: that is left to what needs the card.
 */
export async function cardIdOf(ctx: BrandCtx, task_id: string): Promise<string> {
  const id = await findCardId(ctx, task_id)
  if (id === undefined) throw cardNotFound()
  return id
}
