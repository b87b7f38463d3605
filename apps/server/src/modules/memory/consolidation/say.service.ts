import { z } from 'zod'
import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { Llm } from '#platform/llm/llm.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { CallLimit } from '../memory.ports.ts'
import { mostTokensOf, type Spent, withinLimits } from '../paid-call.ts'
import type { Say } from './consolidate.service.ts'
import type { Plan } from './merge.service.ts'
import { groundedSaying, type Saying, sayingInstructions, sayingPrompt } from './pattern.rules.ts'

const answer = { name: 'saying', schema: z.object({ title: z.string(), statement: z.string() }) }
const budget_ms = 10_000
/** A title and a statement are 300; the rest is for models that think first. */
const mostTokens = 2000

/**
 * M8: whatever the model does, the learnings are merged; without a saying, under their tag. So they are when the workspace
 * has used up its calls of the day.
 */
export const createSay =
  (llm: Llm, limits: readonly CallLimit[]): Say =>
  async (ctx, plan, signal) => {
    if (!llm.is_on || llm.is_away) return undefined
    const prompt = sayingPrompt(plan.tagged.tag, sourcesOf(plan))
    const tokens = mostTokensOf(sayingInstructions + prompt, mostTokens)
    const wanted = { purpose: 'consolidation', agent_id: plan.tagged.agent_id, tokens } as const
    return withinLimits(ctx, limits, wanted, (spent) => ask(ctx, llm, plan, { prompt, signal, spent }))
  }

interface Asked {
  readonly prompt: string
  readonly signal: AbortSignal
  readonly spent: Spent
}
async function ask(ctx: OutsideBrandCtx, llm: Llm, plan: Plan, asked: Asked): Promise<Saying | undefined> {
  try {
    const said = await llm.ask(ctx, {
      ...asked,
      purpose: 'consolidation',
      owner: String(ctx.brandId),
      system: sayingInstructions,
      answer,
      budget_ms,
      retries: 0,
      max_tokens: mostTokens,
      is_background: true,
    })
    return groundedSaying(said.answer, sourcesOf(plan))
  } catch (error) {
    if (error instanceof Outage) return undefined
    throw error
  }
}

const sourcesOf = ({ growing, chosen }: Plan) => [...(growing?.held ?? []), ...chosen]
