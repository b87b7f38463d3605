import type { ToldChanges } from '@crewhall/contracts/boards/activity.ts'
import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import type { KeptEvent } from '#platform/events/workspace-event.ts'
import { presentEntry } from './activity.present.ts'
import { type ActivityRow, insertActivity, insertStamped } from './activity.store.ts'

interface NewEntry {
  readonly board_id: string
  readonly action: string
  readonly card_id: string | null
  readonly actor: Actor
  readonly data: Record<string, unknown>
  /** Fields with both values, as `deriveTold` bounds them. */
  readonly changes?: ToldChanges | undefined
  readonly mentions?: readonly string[] | undefined
}

/** Without the name of the card: a new one has it in its data. */
type StampedEntry = Omit<NewEntry, 'changes' | 'mentions'> & Pick<ActivityRow, 'id' | 'created_at' | 'told'>

/** The one way into the feed. Only under the lock of the board, and last in the transaction. */
export async function recordActivity(ctx: BrandTx, entry: NewEntry): Promise<void> {
  const made = await insertActivity(ctx, entry)
  // The caller holds the lock, so the board exists.
  if (!made) throw new Error('the board of an activity entry is gone')
  await ctx.announce([eventOf({ ...entry, ...made })])
}

/** Several whose places in the feed were taken with the lock: nothing waits for an answer. */
export async function recordStamped(ctx: BrandTx, entries: readonly StampedEntry[]): Promise<void> {
  await ctx.db.inOrder([insertStamped(ctx, entries), ctx.announce(entries.map(eventOf))])
}

function eventOf({ board_id, ...entry }: StampedEntry): KeptEvent {
  const { id, action, created_at } = entry
  return { id, type: action, created_at, board_id, data: { ...presentEntry(entry), board_id } }
}
