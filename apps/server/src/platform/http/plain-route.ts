import type { IncomingHttpHeaders } from 'node:http'
import type { Detail } from '@crewhall/contracts/refusal.ts'
import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Inside } from '#platform/http/inside.ts'

export interface PlainAnswer {
  readonly status: number
  readonly type: string
  readonly body: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** As it was sent: nothing has been checked. It may hold secrets, so none of it goes into a log. */
export interface PlainRequest {
  readonly query: URLSearchParams
  /** What stands in the path in place of `{name}`, and as `*` what stands in place of that. */
  readonly params: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  /** Where it comes from, as limits count it. */
  readonly network: string
  /** The body, at most as long as the route takes; waiting for it is not on the account of the route. */
  bytes(): Promise<Buffer>
  /** The same as JSON: undefined if there is none, and refused if it is malformed or not harmless to look at. */
  json(): Promise<unknown>
  /** Aborted when the caller hangs up or the deadline passes. */
  gone(): AbortSignal
  /** Gives what takes long a time of its own in place of the deadline; it has to end by itself. */
  aside<T>(meanwhile: () => Promise<T>): Promise<T>
  /** Calls of routes with the credential of this request. */
  readonly inside: Inside
}

/** Why a request gets no answer of its route. */
export interface Refused {
  readonly status: number
  readonly detail: Detail
}

/**
 * A route outside of `/api/v1`, for programs that speak a language of their own. It has no contract, so no client, document or
 * matrix knows it: it checks what it takes by itself, and acts as somebody only by way of `inside`. Limits, logs, metrics
 * and traces are those of all routes.
 */
export interface PlainRoute {
  /** As the ids of contracts. */
  readonly id: `${string}.${string}`
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** As in contracts, `{name}` for a parameter; `*` at the end for all that may follow. */
  readonly path: `/${string}`
  /** Of a body that may be longer than others. Few of these are read at a time. */
  readonly max_body_bytes?: number
  run(ctx: OutsideSystemCtx, request: PlainRequest): Promise<PlainAnswer> | PlainAnswer
  /** The same refusals, outages and bugs as everywhere, in the language of whoever calls. */
  refuse(reason: Refused): PlainAnswer
}
