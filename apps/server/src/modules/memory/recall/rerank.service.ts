import { z } from 'zod'
import type { Llm } from '#platform/llm/llm.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { Rerank } from './recall.service.ts'
import { instructions, orderOf, promptOf } from './rerank.rules.ts'

const answer = { name: 'chosen', schema: z.object({ ids: z.array(z.int()).max(100) }) }
/** A hundred numbers are 300; the rest is for models that think first. */
const mostTokens = 2000

/** M10: one call for the whole list, which is never repeated. Whatever the model does, a recall goes on. */
export const createRerank =
  (llm: Llm): Rerank =>
  async (ctx, { query, candidates, limit, budget_ms }) => {
    if (!llm.is_on) return undefined
    try {
      const { answer: chosen } = await llm.ask(ctx, {
        purpose: 'recall',
        owner: String(ctx.brandId),
        system: instructions(limit),
        prompt: promptOf(query, candidates),
        answer,
        budget_ms,
        retries: 0,
        max_tokens: mostTokens,
        signal: ctx.gone(),
      })
      return orderOf(chosen.ids, candidates.length)
    } catch (error) {
      if (error instanceof Outage) return undefined
      throw error
    }
  }
