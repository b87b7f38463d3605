import type { Detail } from '@crewhall/contracts/refusal.ts'
import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'

export interface PlainAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface PlainRequest {
  /** As it was sent: nothing has been checked. It may hold a secret, so it goes into no log. */
  readonly query: URLSearchParams
}

/** Why a request gets no answer of its route. */
export interface Refused {
  readonly status: number
  readonly detail: Detail
}

/**
 * A route outside of `/api/v1`, for programs that read no JSON. It has no contract, so no client, document or matrix knows
 * it: it authenticates nobody, and checks what it takes by itself. Limits, logs, metrics and traces are those of all routes.
 */
export interface PlainRoute {
  /** As the ids of contracts. */
  readonly id: `${string}.${string}`
  /** The body of a POST is not read: what counts is in the query. */
  readonly method: 'GET' | 'POST'
  readonly path: `/${string}`
  run(ctx: OutsideSystemCtx, request: PlainRequest): Promise<PlainAnswer> | PlainAnswer
  /** The same refusals, outages and bugs as everywhere, in the language of whoever calls. */
  refuse(reason: Refused): PlainAnswer
}
