import { randomUUID } from 'node:crypto'
import type { BrandTx } from '#platform/ctx/ctx.ts'

/** What a request holds while it works outside a transaction. */
export interface Claim {
  /** The same for every attempt with one Idempotency-Key, even after a crash. */
  readonly id: string
  /**
   * Whether this step is still to be done. The mark commits with the other writes of the transaction, and a request that
   * was too slow and lost its claim is stopped here.
   */
  once(ctx: BrandTx, step: string): Promise<boolean>
}

/** For a request without a key: it cannot be repeated. */
export const unkeyedClaim = (): Claim => ({ id: randomUUID(), once: async () => true })
