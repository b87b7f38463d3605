import type { IncomingHttpHeaders } from 'node:http'

export interface OutboundCall {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** For everything together: look-up, connection, answer. */
  readonly limit_ms: number
  readonly signal?: AbortSignal
  /** `status`: the call is done when the status arrives; the body is not read. */
  readonly wants: 'body' | 'status'
}

export type OutboundFailure =
  /** Not a public address, or not one that the operator has allowed. */
  | 'address'
  | 'unresolved'
  | 'unreachable'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'protocol'
  /** The caller took it back. */
  | 'aborted'

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Empty when only the status was wanted. */
  readonly body: Buffer
}

export type OutboundResult = Answered | { readonly failure: OutboundFailure }
