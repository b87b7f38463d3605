import type { CallLimit } from '#modules/memory'
import { purposeIdOf } from './purpose-id.ts'
import { type DailyLimits, reserveCall, settleCall } from './spend.service.ts'

/** Patterns are paid for from the same limits as conversations, recalls from limits of their own. */
export const limitOfCalls = (limits: DailyLimits): CallLimit => ({
  async reserve(ctx, { purpose, agent_id, tokens }) {
    const whom = { purpose, source_id: purposeIdOf(purpose, agent_id), agent_id }
    const allowance = await reserveCall(ctx, limits, whom, tokens)
    if (!allowance.is_granted) return undefined
    return { settle: (ctx, cost) => settleCall(ctx, allowance, cost) }
  },
})
