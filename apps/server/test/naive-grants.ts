import type { Granted, GrantedCaller, Grants } from '#modules/marketplace'
import type { BrandCtx } from '#platform/ctx/ctx.ts'

/** The naive twin of grants: a cache with an age and nothing else. */
export class NaiveGrants implements Grants {
  readonly #truth: Grants
  readonly #kept = new Map<string, { readonly at: number; readonly granted: readonly Granted[] }>()

  constructor(truth: Grants) {
    this.#truth = truth
  }

  async of(ctx: BrandCtx, caller: GrantedCaller): Promise<readonly Granted[]> {
    const key = `${caller.brand_id} ${caller.agent_id}`
    const kept = this.#kept.get(key)
    const now = ctx.now().getTime()
    if (kept && now - kept.at < 60_000) return kept.granted
    const granted = await this.#truth.of(ctx, caller)
    this.#kept.set(key, { at: now, granted })
    return granted
  }

  credentialOf(ctx: BrandCtx, install_id: string): Promise<string | null> {
    return this.#truth.credentialOf(ctx, install_id)
  }
}
