import { randomUUID } from 'node:crypto'
import type { BrandTx } from '#platform/ctx/ctx.ts'

/** What a request holds while it works outside of any transaction. */
export interface Claim {
  /** The same for every attempt with one Idempotency-Key, also after a crash. */
  readonly id: string
  /**
   * Whether this step is still to be done. The mark commits with what is written beside it, and whoever was too
   * slow and has lost the claim is stopped here.
   */
  once(ctx: BrandTx, step: string): Promise<boolean>
}

/** Of a request without a key: nobody can repeat it. */
export const unkeyedClaim = (): Claim => ({ id: randomUUID(), once: async () => true })
