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
  /** Told of every call, so that operators hear of a limit before people do. */
  noteStanding?(kind: 'memory' | 'recall', standing: Standing): void
}

/** `near`: the call takes the workspace past four fifths of its limit. */
export type Standing = 'below' | 'near' | 'withheld'
const nearShare = 0.8

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
export async function reserveCall(
  ctx: BrandCtx,
  daily: DailyLimits,
  whom: ForWhom,
  tokens: number,
): Promise<Allowance | Withheld> {
  const kind = whom.purpose === 'recall' ? 'recall' : 'memory'
  const limits = daily[kind]
  const { standing, outcome } = await ctx.tx(async (ctx) => {
    await store.lockSpend(ctx)
    const spent = await store.findToday(ctx, kind)
    const over = overLimit(limits, spent, tokens)
    if (over)
      return {
        standing: 'withheld' as const,
        outcome: { is_granted: false as const, reason: over, until: spent.resets_at },
      }
    const { day } = spent
    await store.addSpent(ctx, { day, ...whom, calls: 1, tokens })
    return {
      standing: standingOf(limits, spent, tokens),
      outcome: { is_granted: true as const, day, ...whom, reserved_tokens: tokens },
    }
  })
  daily.noteStanding?.(kind, standing)
  return outcome
}

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

function standingOf(limits: SpendLimits, spent: store.Today, tokens: number): Standing {
  const isNear = (used: number, limit: number | null) => limit !== null && used > nearShare * limit
  return isNear(spent.calls + 1, limits.calls) || isNear(spent.tokens + tokens, limits.tokens)
    ? 'near'
    : 'below'
}

/** A year can be compared with the one before. */
const keptDays = 800
export const spendSweep: Sweep = {
  table: 'conversations.spend',
  bite: (ctx, limit) => store.deleteOldSpend(ctx, keptDays, limit),
}
