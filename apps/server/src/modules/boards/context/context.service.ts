import type { CardContext } from '@crewhall/contracts/boards/context.ts'
import { cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { headOf, itemTextBytes, partsOf, type Sources } from './context.present.ts'
import * as store from './context.store.ts'
import { pack } from './packing.rules.ts'

const standardBudget = 16_384
const maxBlockers = 50
// No character is shorter than a byte, so this many characters hold all the bytes that are shown.
const newestRuns = { limit: 10, characters: itemTextBytes }
const newestComments = { limit: 30, characters: itemTextBytes }

/** Read at one moment: counts and lists agree. */
export async function packContext(ctx: BrandCtx, id: string, budget = standardBudget): Promise<CardContext> {
  const sources = await ctx.snapshot(async (ctx): Promise<Sources> => {
    const card = await store.findContextCard(ctx, id)
    if (!card) throw cardNotFound()
    return {
      card,
      blockers: card.open_blockers > 0 ? await store.listOpenBlockers(ctx, id, maxBlockers) : [],
      parent: card.parent_id === null ? undefined : await store.findOtherCard(ctx, card.parent_id),
      runs: card.runs_count > 0 ? await store.listNewestRuns(ctx, id, newestRuns) : [],
      comments: card.comments_count > 0 ? await store.listNewestComments(ctx, id, newestComments) : [],
    }
  })
  return pack(headOf(sources.card), partsOf(sources), budget) as CardContext
}
