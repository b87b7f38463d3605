import type { ActivityEntry } from '@crewhall/contracts/boards/activity.ts'
import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import type { KeptEvent } from '#platform/events/workspace-event.ts'
import { insertActivity, insertStamped } from './activity.store.ts'

interface NewEntry {
  readonly board_id: string
  readonly action: string
  readonly card_id: string | null
  readonly actor: Actor
  readonly data: Record<string, unknown>
}

interface FeedPosition {
  readonly id: string
  readonly created_at: string
}

/** The one way into the feed. Only under the lock of the board, and last in the transaction. */
export async function recordActivity(ctx: BrandTx, entry: NewEntry): Promise<void> {
  const made = await insertActivity(ctx, entry)
  // The caller holds the lock, so the board exists.
  if (!made) throw new Error('the board of an activity entry is gone')
  await ctx.announce([eventOf({ ...entry, ...made })])
}

/** Several whose places in the feed were taken with the lock: nothing waits for an answer. */
export async function recordStamped(
  ctx: BrandTx,
  entries: readonly (NewEntry & FeedPosition)[],
): Promise<void> {
  await ctx.db.inOrder([insertStamped(ctx, entries), ctx.announce(entries.map(eventOf))])
}

function eventOf({ id, created_at, ...entry }: NewEntry & FeedPosition): KeptEvent {
  const { action, board_id, card_id: task_id, actor, data } = entry
  const told: ActivityEntry = { id, action, created_at, task_id, actor, data }
  return { id, type: action, created_at, board_id, data: { ...told, board_id } }
}
