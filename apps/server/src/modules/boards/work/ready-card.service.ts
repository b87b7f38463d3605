import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { type FoundWork, findReady } from './work.store.ts'

/** Entries of the index that one look walks over. */
const walked = 500

/** The card that an agent who asked for work now would get. Takes nothing; undefined where nothing is ready. */
export const findReadyCard = (ctx: BrandCtx): Promise<FoundWork | undefined> => findReady(ctx, walked)
