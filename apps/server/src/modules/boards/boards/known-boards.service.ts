import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { countBoardsByIds } from './known-boards.store.ts'

/** Whether all of these are boards of the workspace, archived or not. */
export async function areBoards(ctx: BrandCtx, ids: readonly string[]): Promise<boolean> {
  const wanted = [...new Set(ids)]
  return (await countBoardsByIds(ctx, wanted)) === wanted.length
}
