import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { Next } from '#platform/erasure/erasure-part.ts'
import type { Directories } from '#platform/shared-files/directories.ts'

/** All directories of hires at once. After the rows: a build that is under way finds none, and removes what it has made. */
export const eraseDirectories =
  (directories: Pick<Directories, 'remove'> | undefined) =>
  async (ctx: OutsideBrandCtx): Promise<Next> => {
    const place = { folders: [String(ctx.brandId)], name: 'hires' }
    return (await directories?.remove(ctx, place)) === false ? 'more' : undefined
  }
