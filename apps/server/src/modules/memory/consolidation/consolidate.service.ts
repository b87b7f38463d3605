import type { OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import * as store from './consolidation.store.ts'
import { merge, type Plan, planMerge } from './merge.service.ts'
import type { Saying } from './pattern.rules.ts'
import { refreshPattern } from './refresh.service.ts'

/** Asks a model what sources have in common; undefined if there is none, or nothing that can be used. */
export type Say = (ctx: OutsideBrandCtx, plan: Plan, signal: AbortSignal) => Promise<Saying | undefined>

/** Longer than a model is waited for. */
const lease_seconds = 60
/** Then others have the process. */
const mostTurns = 20

/**
 * Looks at patterns whose sources have changed and at tags that learnings were written with, one of each workspace in turn.
 * One at a time in a process.
 */
export class Consolidator {
  readonly #say: Say
  readonly #ending = new AbortController()
  #after = 0
  #afterStale = 0

  constructor(say: Say) {
    this.#say = say
  }

  /** What a model is asked is given up; the learnings are merged by whoever looks next. */
  end(): void {
    this.#ending.abort()
  }

  async look(ctx: OutsideSystemCtx): Promise<void> {
    for (let n = 0; n < mostTurns && !this.#ending.signal.aborted; n += 1) {
      const stale = await this.#nextStale(ctx)
      if (stale) await refreshPattern(ctx.forBrand(stale.brand_id), stale.pattern_id)
      const due = await this.#next(ctx)
      if (due) await this.#consolidate(ctx.forBrand(due.brand_id), due)
      if (!stale && !due) return
    }
  }

  async #nextStale(ctx: OutsideSystemCtx) {
    const stale = (await store.findStale(ctx, this.#afterStale)) ?? (await store.findStale(ctx, 0))
    this.#afterStale = stale?.brand_id ?? 0
    return stale
  }

  async #next(ctx: OutsideSystemCtx) {
    const due = (await store.findDue(ctx, this.#after)) ?? (await store.findDue(ctx, 0))
    this.#after = due?.brand_id ?? 0
    return due
  }

  async #consolidate(ctx: OutsideBrandCtx, { agent_id, tag }: store.Tagged): Promise<void> {
    const tagged = { agent_id, tag }
    const claimed = await claim(ctx, tagged)
    if (!claimed) return
    const { plan } = claimed
    const saying = plan && (await this.#say(ctx, plan, this.#ending.signal))
    const isSettled = !plan || (!this.#ending.signal.aborted && (await merge(ctx, plan, saying)))
    // Apart from the merge: those who write a memory hold its row before its tags, and the log of events after both.
    await store.releaseTag(ctx, tagged, { is_due: !isSettled })
  }
}

/** Undefined if somebody else has the agent or the tag. A tag is claimed before its learnings are read: none is missed. */
const claim = (ctx: OutsideBrandCtx, tagged: store.Tagged): Promise<{ plan: Plan | undefined } | undefined> =>
  ctx.tx(async (ctx) => {
    if (!(await store.tryLockAgent(ctx, tagged.agent_id))) return undefined
    const { count, is_early } = await store.claimTag(ctx, tagged, lease_seconds)
    if (count === 0) return undefined
    return { plan: await planMerge(ctx, tagged, { isEarly: is_early }) }
  })
