import type { CallLimit } from '#modules/memory'
import { consolidationIdOf } from './consolidation-id.ts'
import { reserveCall, type SpendLimits, settleCall } from './spend.service.ts'

/** Patterns are paid for from the same limits as conversations. */
export const limitOfConsolidation = (limits: SpendLimits): CallLimit => ({
  async reserve(ctx, agent_id, tokens) {
    const source_id = consolidationIdOf(agent_id)
    const allowance = await reserveCall(ctx, limits, { source_id, agent_id }, tokens)
    if (!allowance.is_granted) return undefined
    return { settle: (ctx, cost) => settleCall(ctx, allowance, cost) }
  },
})
