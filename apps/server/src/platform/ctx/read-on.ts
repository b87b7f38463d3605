import type { DatabaseHandle } from '@crewhall/contracts/database-handles.ts'
import { Life } from '#platform/bulkheads/life.ts'
import { type CtxParts, ctxOn, type OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { partsOn } from '#platform/ctx/handles.ts'
import { Outage } from '#platform/outage/outage.ts'

/** Reads of one caller on a handle. What is away or slow there is an outage of that handle. */
export type ReadOn = <T>(ctx: OutsideBrandCtx, read: (ctx: OutsideBrandCtx) => Promise<T>) => Promise<T>

/**
 * For a route that combines handles and has something to say when one of them is away. After so long nobody waits for it
 * any more, whatever its own deadline, and its work is cancelled.
 */
export function readOn(parts: CtxParts, name: DatabaseHandle, limitMs: number): ReadOn {
  const on = partsOn(parts, name)
  return async (ctx, read) => {
    const life = new Life(on.database)
    const ended = Promise.withResolvers<never>()
    life.onEnd((reason) => ended.reject(reason))
    const timer = setTimeout(() => life.end(new Outage(name, 'timeout')), limitMs)
    const gone = ctx.gone()
    gone.addEventListener('abort', () => life.end(gone.reason))
    const work = read(ctxOn(ctx, on, life))
    for (const each of [work, ended.promise]) each.catch(() => {})
    try {
      return await Promise.race([work, ended.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}
