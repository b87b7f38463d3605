import type { OutsideBrandCtx, OutsideSystemCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import { port } from '#platform/modules/port.ts'

/** Who is being erased. Their own row is already empty. */
export interface ErasedPerson {
  readonly id: number
  /** Workspaces that they were ever a member of. */
  readonly brand_ids: readonly number[]
  /**
   * Their confirmed addresses, in lower case. Names are not searched for: a person named `admin` would remove that word
   * from everyone's rows. Nor are addresses that may belong to someone else.
   */
  readonly addresses: readonly string[]
  /** Rows that mention an address and were created later may be about someone else. */
  readonly until: string
}

/** Something has to finish first; repeat the same batch after this time. */
export interface Wait {
  readonly wait_seconds: number
}

/** Where the next batch starts; undefined when done. */
export type Next = string | Wait | undefined

/**
 * What one module or part of the platform does to erase a person or a workspace: it removes its own data in batches. A
 * batch is short, blocks nobody for long, and must be safe to repeat: after a crash the last one runs again.
 * `position` is what the previous batch returned, and '' at first.
 */
export interface ErasurePart {
  readonly part: string
  /** Addresses of the person that only this module knows. Asked before anything is erased. */
  addressesOf?(ctx: SystemCtx, person_id: number): Promise<readonly string[]>
  person?(ctx: OutsideSystemCtx, person: ErasedPerson, position: string): Promise<Next>
  brand?(ctx: OutsideBrandCtx, position: string): Promise<Next>
}

/**
 * Filled from the left to the right and erased from the right to the left, as rows refer to each other.
 */
export const erasureParts = port<ErasurePart>('platform.erasure')

const limit = 1000

/** Empties tables of a workspace one after another; each step deletes at most `limit` rows and returns how many. */
export const emptying =
  (...steps: readonly ((ctx: OutsideBrandCtx, limit: number) => Promise<number>)[]) =>
  async (ctx: OutsideBrandCtx, position: string): Promise<Next> => {
    const at = Number(position || 0)
    const step = steps[at]
    if (!step) return undefined
    const next = (await step(ctx, limit)) < limit ? at + 1 : at
    return next < steps.length ? String(next) : undefined
  }
