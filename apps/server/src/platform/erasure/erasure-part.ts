import type { OutsideBrandCtx, OutsideSystemCtx, SystemCtx } from '#platform/ctx/ctx.ts'

/** Who is being erased. Their row has forgotten this already. */
export interface ErasedPerson {
  readonly id: number
  /** Workspaces that they were ever a member of. */
  readonly brand_ids: readonly number[]
  /**
   * Those they have proven, in lower case. A name is not looked for: whoever calls themselves `admin` would take that
   * word out of everybody's rows. Nor is an address that may be somebody else's.
   */
  readonly addresses: readonly string[]
  /** What names one of the addresses and was made later may be about somebody else. */
  readonly until: string
}

/** Somebody has to be waited for; the same bite again after so long. */
export interface Wait {
  readonly wait_seconds: number
}

/** Where the next bite begins; undefined when nothing is left. */
export type Next = string | Wait | undefined

/**
 * What one module, or one part of the platform, does when a person or a workspace is erased: it takes out what is its
 * own, a bite at a time. A bite is short, blocks nobody for long, and may be done twice: after a crash the last one is.
 * `position` is what the bite before returned, and '' at first.
 */
export interface ErasurePart {
  readonly part: string
  /** Addresses of the person that only this module knows. Asked before anything is erased. */
  addressesOf?(ctx: SystemCtx, person_id: number): Promise<readonly string[]>
  person?(ctx: OutsideSystemCtx, person: ErasedPerson, position: string): Promise<Next>
  brand?(ctx: OutsideBrandCtx, position: string): Promise<Next>
}

const limit = 1000

/** Empties tables of a workspace one after another; each step deletes at most so many rows and answers how many. */
export const emptying =
  (...steps: readonly ((ctx: OutsideBrandCtx, limit: number) => Promise<number>)[]) =>
  async (ctx: OutsideBrandCtx, position: string): Promise<Next> => {
    const at = Number(position || 0)
    const step = steps[at]
    if (!step) return undefined
    const next = (await step(ctx, limit)) < limit ? at + 1 : at
    return next < steps.length ? String(next) : undefined
  }
