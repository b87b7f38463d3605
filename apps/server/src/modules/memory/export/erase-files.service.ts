import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { Next } from '#platform/erasure/erasure-part.ts'
import type { SharedFiles } from '#platform/shared-files/shared-files.ts'
import { fileName } from './export.service.ts'

const limit = 200

/** The files go as a whole, with what others have written into them. Other files in their folders are not ours. */
export const eraseFiles =
  (files: SharedFiles) =>
  async (ctx: OutsideBrandCtx, position: string): Promise<Next> => {
    if (!files.is_on) return undefined
    return files.erase(ctx, String(ctx.brandId), { name: fileName, after: position, limit })
  }
