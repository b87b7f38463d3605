import { z } from 'zod'
import type { Llm } from '#platform/llm/llm.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { Say } from './consolidate.service.ts'
import { groundedSaying, sayingInstructions, sayingPrompt } from './pattern.rules.ts'

const answer = { name: 'saying', schema: z.object({ title: z.string(), statement: z.string() }) }
const budget_ms = 10_000
/** A title and a statement are 300; the rest is for models that think first. */
const mostTokens = 2000

/** M8: whatever the model does, the learnings are merged; without a saying, under their tag. */
export const createSay =
  (llm: Llm): Say =>
  async (ctx, { tagged, growing, chosen }, signal) => {
    if (!llm.is_on) return undefined
    const sources = [...(growing?.held ?? []), ...chosen]
    try {
      const said = await llm.ask(ctx, {
        purpose: 'consolidation',
        owner: String(ctx.brandId),
        system: sayingInstructions,
        prompt: sayingPrompt(tagged.tag, sources),
        answer,
        budget_ms,
        retries: 0,
        max_tokens: mostTokens,
        is_background: true,
        signal,
      })
      return groundedSaying(said.answer, sources)
    } catch (error) {
      if (error instanceof Outage) return undefined
      throw error
    }
  }
