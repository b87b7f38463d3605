import type { SpendPurpose } from '@crewhall/contracts/conversations/usage.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { Sweep } from '#platform/jobs/sweep.ts'
import * as store from './spend.store.ts'

/** Of each workspace and day; null is no limit. */
export interface SpendLimits {
  readonly calls: number | null
  readonly tokens: number | null
}

/** Recall spends its own: it must not hold up conversations, nor they it. */
export interface DailyLimits {
  readonly memory: SpendLimits
  readonly recall: SpendLimits
}

interface ForWhom {
  readonly purpose: SpendPurpose
  readonly source_id: string
  readonly agent_id: string
}
/** A call of the model that may be made. */
export interface Allowance extends ForWhom {
  readonly is_granted: true
  readonly day: string
  readonly reserved_tokens: number
}
interface Withheld {
  readonly is_granted: false
  readonly reason: string
  /** When it continues. */
  readonly until: string
}

/**
 * Before a call: takes it from the limit of the day, with as many tokens as it may need. What dies with its worker stays
 * spent, so the limit holds whatever happens.
 */
export const reserveCall = (
  ctx: BrandCtx,
  daily: DailyLimits,
  whom: ForWhom,
  tokens: number,
): Promise<Allowance | Withheld> =>
  ctx.tx(async (ctx) => {
    await store.lockSpend(ctx)
    const kind = whom.purpose === 'recall' ? 'recall' : 'memory'
    const spent = await store.findToday(ctx, kind)
    const over = overLimit(daily[kind], spent, tokens)
    if (over) return { is_granted: false, reason: over, until: spent.resets_at }
    const { day } = spent
    await store.addSpent(ctx, { day, ...whom, calls: 1, tokens })
    return { is_granted: true, day, ...whom, reserved_tokens: tokens }
  })

/** After the call: what it has really cost, on the day it was made. A call that was not made is given back. */
export const settleCall = (
  ctx: BrandTx,
  { is_granted: _, reserved_tokens, ...spent }: Allowance,
  { calls, tokens_in, tokens_out }: { calls: number; tokens_in: number; tokens_out: number },
): Promise<unknown> => {
  const tokens = tokens_in + tokens_out - reserved_tokens
  return store.addSpent(ctx, { ...spent, calls: calls - 1, tokens })
}

function overLimit(limits: SpendLimits, spent: store.Today, tokens: number): string | undefined {
  if (limits.calls !== null && spent.calls + 1 > limits.calls)
    return `The workspace has used its ${limits.calls} model calls of today`
  if (limits.tokens !== null && spent.tokens + tokens > limits.tokens)
    return `The workspace has used its ${limits.tokens} tokens of today`
  return undefined
}

/** A year can be compared with the one before. */
const keptDays = 800
export const spendSweep: Sweep = {
  table: 'conversations.spend',
  bite: (ctx, limit) => store.deleteOldSpend(ctx, keptDays, limit),
}
