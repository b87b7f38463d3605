import type { ActivityEntry } from '@crewhall/contracts/boards/activity.ts'
import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { insertActivity } from './activity.store.ts'

interface NewEntry {
  readonly board_id: string
  readonly action: string
  readonly card_id: string | null
  readonly actor: Actor
  readonly data: Record<string, unknown>
}

/** The one way into the feed. Only under the lock of the board, and last in the transaction. */
export async function recordActivity(ctx: BrandTx, entry: NewEntry): Promise<void> {
  const made = await insertActivity(ctx, entry)
  // Whoever holds the lock has seen the board.
  if (!made) throw new Error('the board of an activity entry is gone')
  const { id, created_at } = made
  const { action, board_id, card_id: task_id, actor, data } = entry
  const told: ActivityEntry = { id, action, created_at, task_id, actor, data }
  await ctx.announce({ id, type: action, created_at, board_id, data: { ...told, board_id } })
}
