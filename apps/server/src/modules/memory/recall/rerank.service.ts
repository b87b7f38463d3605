import { z } from 'zod'
import type { Llm } from '#platform/llm/llm.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { CallLimit } from '../memory.ports.ts'
import { mostTokensOf, withinLimits } from '../paid-call.ts'
import type { Rerank } from './recall.service.ts'
import { instructions, orderOf, promptOf } from './rerank.rules.ts'

const answer = { name: 'chosen', schema: z.object({ ids: z.array(z.int()).max(100) }) }
/** A hundred numbers are 300; the rest is for models that think first. */
const mostTokens = 2000

/**
 * M10: one call for the whole list, which is never repeated. Whatever the model does, a recall goes on; so it does above
 * the limit of the day.
 */
export const createRerank =
  (llm: Llm, limits: readonly CallLimit[]): Rerank =>
  async (ctx, { agent_id, query, candidates, limit, budget_ms }) => {
    // A model that is away takes nothing from the limit.
    if (!llm.is_on || llm.is_away) return undefined
    const system = instructions(limit)
    const prompt = promptOf(query, candidates)
    const tokens = mostTokensOf(system + prompt, mostTokens)
    try {
      const asked = await withinLimits(ctx, limits, { purpose: 'recall', agent_id, tokens }, (spent) =>
        llm.ask(ctx, {
          purpose: 'recall',
          owner: String(ctx.brandId),
          system,
          prompt,
          answer,
          budget_ms,
          retries: 0,
          max_tokens: mostTokens,
          spent,
          signal: ctx.gone(),
        }),
      )
      return asked && orderOf(asked.answer.ids, candidates.length)
    } catch (error) {
      if (error instanceof Outage) return undefined
      throw error
    }
  }
