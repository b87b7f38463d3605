import type { SystemCtx } from '#platform/ctx/ctx.ts'
import * as store from './hub.store.ts'

interface HoldOptions {
  readonly cell: number
  /** Where this hub runs. One that was killed there is followed at once, because there is no second one there. */
  readonly place: string
}

/** A cell is free this long after its hub was last heard. */
const holdSeconds = 10
const renewMs = 3000

/** That this is the one hub of its cell. */
export class HubHold {
  readonly #options: HoldOptions
  #renewedAt = Number.NEGATIVE_INFINITY

  constructor(options: HoldOptions) {
    this.#options = options
  }

  /**
   * False when another one is the hub. While nobody can be asked, it fails, and this one goes on as it was: nobody else can
   * become the hub meanwhile either.
   */
  async renew(ctx: SystemCtx): Promise<boolean> {
    if (performance.now() - this.#renewedAt < renewMs) return true
    const { cell, place: holder } = this.#options
    const begun = performance.now()
    const holds = await store.updateHold(ctx, { cell, holder, seconds: holdSeconds })
    this.#renewedAt = holds ? begun : Number.NEGATIVE_INFINITY
    return holds
  }

  /** Lets the next hub begin at once. */
  async leave(ctx: SystemCtx): Promise<void> {
    const { cell, place: holder } = this.#options
    this.#renewedAt = Number.NEGATIVE_INFINITY
    await store.updateLeft(ctx, { cell, holder })
  }
}
