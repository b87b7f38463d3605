import type { IncomingHttpHeaders } from 'node:http'

interface OutboundRequest {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** For everything together: look-up, connection, answer. */
  readonly limit_ms: number
  readonly signal?: AbortSignal
  /**
   * Keeps the connection for calls of the same owner to the same judged addresses. Without it, the connection ends with the
   * call.
   */
  readonly keep_for?: string
  /**
   * Whether it may be sent a second time, when a kept connection ended before the answer: the other side may have read it
   * already. GETs always may.
   */
  readonly may_repeat?: boolean
}

export interface OutboundCall extends OutboundRequest {
  /** `status`: the call is done when the status arrives; the body is not read. */
  readonly wants: 'body' | 'status'
}

export interface StreamedCall extends OutboundRequest {
  /** More than this fails the body with `too_large`. */
  readonly max_bytes: number
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

export interface Streamed {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Throws an `OutboundFault`. */
  readonly body: AsyncGenerator<Buffer, void, undefined>
  /** For whoever does not read the body to its end. The limit of the call ends it otherwise. */
  end(): void
}

export type OutboundResult = Answered | { readonly failure: OutboundFailure }
export type StreamedResult = Streamed | { readonly failure: OutboundFailure }

/** Why a body ended before its end. */
export class OutboundFault extends Error {
  readonly failure: OutboundFailure
  constructor(failure: OutboundFailure) {
    super(failure)
    this.name = 'OutboundFault'
    this.failure = failure
  }
}
