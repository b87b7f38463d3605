import { mostWatchers } from '@crewhall/contracts/boards/watchers.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import * as store from './watchers.store.ts'

/** Far more than watch; those who have left are among them. */
export const mostRows = 1000

export const readWatcherRows = (ctx: BrandCtx, card_id: string) =>
  store.listWatcherRows(ctx, card_id, mostRows)

/** Without being asked; nothing is waited for before. */
export async function joinCards(
  ctx: BrandTx,
  joining: readonly { readonly card_id: string; readonly person_id: number }[],
): Promise<void> {
  if (joining.length > 0) await store.insertJoining(ctx, joining, mostWatchers)
}
