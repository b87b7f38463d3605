import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { ErasedPerson, Next } from '#platform/erasure/erasure-part.ts'
import * as store from './erase-entries.store.ts'

export { deleteEntries, deleteSettings } from './erase-entries.store.ts'

const limit = 500

/** Their own entries and settings go; in those of others their name does. */
export async function erasePersonFromInbox(
  ctx: OutsideSystemCtx,
  { id: person_id }: ErasedPerson,
  position: string,
): Promise<Next> {
  if (position === '') await store.deleteOwnSettings(ctx, person_id)
  const step = position === '' ? store.deleteOwn : store.updateCaused
  const found = await step(ctx, { person_id, limit })
  if (found === limit) return position
  return position === '' ? 'caused' : undefined
}
