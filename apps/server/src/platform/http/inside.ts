import type { AnyRoute, Auth } from '@crewhall/contracts/route.ts'
import type { BrandCtx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'

/** What a request to a route would say. Nothing of it has been checked. */
export interface InsideCall {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly headers?: Readonly<Partial<Record<'idempotency-key' | 'if-match', string>>>
}

export interface InsideAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON by the contract; `{ detail }` of a refusal; empty where there is nothing to say. */
  readonly text: string
  /** The list or the file goes on behind what is here. */
  readonly is_cut: boolean
}

/** What a plain route may do with the credential of its caller: what the caller could do with it over HTTP, and no more. */
export interface Inside {
  /**
   * Does what a request to the route with the same credential would, and returns what it would get: also refusals, outages
   * and bugs. It never throws for any of these.
   */
  perform(spec: AnyRoute, call: InsideCall): Promise<InsideAnswer>
  /**
   * Does something as the caller, whose credential has to be good for it. Work that finds out that what was remembered of
   * the caller is stale is done once more, so it has no effect before a statement, or `confirm`, has checked that.
   */
  as<T>(auth: Auth & { kind: 'token' }, work: (ctx: OutsideBrandCtx) => Promise<T> | T): Promise<T>
  /** Whether a request to the route would be let in. */
  permits(ctx: BrandCtx, spec: AnyRoute): boolean
  /** Counts a request that is answered without `perform`; refused beyond the limit of the credential. */
  count(ctx: BrandCtx): void
}
