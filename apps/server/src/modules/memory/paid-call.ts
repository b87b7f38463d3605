import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { CallLimit, ReservedCall, WantedCall } from './memory.ports.ts'

export type Spent = (tokens: { readonly prompt: number; readonly completion: number }) => void

/**
 * A call of the model within the limits of the day; undefined if they do not allow it. It is reserved before and settled
 * after, whatever becomes of it.
 */
export async function withinLimits<T>(
  ctx: OutsideBrandCtx,
  limits: readonly CallLimit[],
  wanted: WantedCall,
  call: (spent: Spent) => Promise<T>,
): Promise<T | undefined> {
  const reserved: ReservedCall[] = []
  const cost = { calls: 0, tokens_in: 0, tokens_out: 0 }
  try {
    for (const limit of limits) {
      const granted = await limit.reserve(ctx, wanted)
      if (!granted) return undefined
      reserved.push(granted)
    }
    return await call(({ prompt, completion }) => {
      cost.calls += 1
      cost.tokens_in += prompt
      cost.tokens_out += completion
    })
  } finally {
    if (reserved.length > 0)
      await ctx.afterwards().tx(async (ctx) => {
        for (const each of reserved) await each.settle(ctx, cost)
      })
  }
}

/** A token of a prompt has three bytes or more, with few exceptions. */
export const mostTokensOf = (prompt: string, answer_tokens: number): number =>
  Math.ceil(Buffer.byteLength(prompt) / 3) + answer_tokens
