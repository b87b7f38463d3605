import { z } from 'zod'
import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { Llm } from '#platform/llm/llm.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { CallLimit, ReservedCall } from '../memory.ports.ts'
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
    const reserved: ReservedCall[] = []
    const cost = { calls: 0, tokens_in: 0, tokens_out: 0 }
    try {
      for (const limit of limits) {
        const call = await limit.reserve(ctx, plan.tagged.agent_id, mostTokensOf(prompt))
        if (!call) return undefined
        reserved.push(call)
      }
      const spent = (tokens: { prompt: number; completion: number }) => {
        cost.calls += 1
        cost.tokens_in += tokens.prompt
        cost.tokens_out += tokens.completion
      }
      return await ask(ctx, llm, plan, { prompt, signal, spent })
    } finally {
      await ctx.tx(async (ctx) => {
        for (const call of reserved) await call.settle(ctx, cost)
      })
    }
  }

interface Asked {
  readonly prompt: string
  readonly signal: AbortSignal
  readonly spent: (tokens: { prompt: number; completion: number }) => void
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

/** A token of a prompt has three bytes or more, with few exceptions. */
const mostTokensOf = (prompt: string): number =>
  Math.ceil(Buffer.byteLength(sayingInstructions + prompt) / 3) + mostTokens
