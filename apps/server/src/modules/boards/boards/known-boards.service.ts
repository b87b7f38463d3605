import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { countBoardsByIds } from './known-boards.store.ts'

/** Whether every one of these is a board of the workspace, open or put away. */
export async function areBoards(ctx: BrandCtx, ids: readonly string[]): Promise<boolean> {
  const wanted = [...new Set(ids)]
  return (await countBoardsByIds(ctx, wanted)) === wanted.length
}
