import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { port } from '#platform/modules/port.ts'

/** What calls of the model have cost. */
export interface CallCost {
  readonly calls: number
  readonly tokens_in: number
  readonly tokens_out: number
}

/** A call that may be made. */
export interface ReservedCall {
  /** After it, also if it was not made. */
  settle(ctx: BrandTx, cost: CallCost): Promise<unknown>
}

export interface WantedCall {
  readonly purpose: 'consolidation' | 'recall'
  readonly agent_id: string
  /** The most that it may need. */
  readonly tokens: number
}

/**
 * The limits that the model calls of a workspace share. A module to the right that limits them provides it; without one,
 * there is no limit.
 */
export interface CallLimit {
  /** Undefined if the limit is reached. */
  reserve(ctx: BrandCtx, wanted: WantedCall): Promise<ReservedCall | undefined>
}

export const callLimits = port<CallLimit>('memory.call-limits')
