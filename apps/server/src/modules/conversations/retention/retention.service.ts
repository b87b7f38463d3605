import type { Sweep } from '#platform/jobs/sweep.ts'
import * as store from './retention.store.ts'

/** A sweep goes on while a bite was full, so a batch that was done with counts as one. */
export const textSweep = (days: number): Sweep => ({
  table: 'conversations.messages',
  async bite(ctx, limit) {
    if (days === 0) return 0
    const cleared = await store.clearTexts(ctx, days, limit)
    if (cleared === limit) return limit
    return (await store.markCleared(ctx, days)) > 0 ? limit : 0
  },
})

/** Deleted sources with all they had: first the rows that refer to others. */
export const sourceSweep: Sweep = {
  table: 'conversations.sources',
  async bite(ctx, limit) {
    if ((await store.deleteMessagesOfGone(ctx, limit)) === limit) return limit
    if ((await store.deleteConversationsOfGone(ctx, limit)) === limit) return limit
    return (await store.deleteGoneSources(ctx)) > 0 ? limit : 0
  },
}
