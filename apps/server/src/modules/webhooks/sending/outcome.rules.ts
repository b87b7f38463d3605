import type { Delivery } from '@crewhall/contracts/webhooks/deliveries.ts'

type ErrorKind = NonNullable<Delivery['last_error']>

/** What came back: an answer, or why there was none. */
export type Came =
  | { readonly status: number; readonly retry_after: string | undefined }
  | { readonly failure: ErrorKind }

export type Outcome =
  | { readonly kind: 'delivered'; readonly status: number }
  | {
      readonly kind: 'failed'
      readonly status: number | null
      readonly error: ErrorKind
      /** The receiver as a whole is in trouble, and not with this one delivery: leave it alone for a while. */
      readonly is_down: boolean
      /** Requested by the receiver. */
      readonly wait_seconds: number
    }
  | { readonly kind: 'gone'; readonly status: number }

/** A receiver may delay a delivery, but not forever. */
const maxWaitSeconds = 86_400

export function deriveOutcome(came: Came, nowMs: number): Outcome {
  if ('failure' in came) {
    return { kind: 'failed', status: null, error: came.failure, is_down: true, wait_seconds: 0 }
  }
  const { status, retry_after } = came
  if (status >= 200 && status < 300) return { kind: 'delivered', status }
  if (status === 410) return { kind: 'gone', status }
  const asks = status === 429 || status === 503
  return {
    kind: 'failed',
    status,
    error: status >= 300 && status < 400 ? 'redirect' : 'answer',
    is_down: status >= 500 || status === 429,
    wait_seconds: asks ? retryAfterSeconds(retry_after, nowMs) : 0,
  }
}

/** Seconds or an HTTP date. Anything else is ignored. */
function retryAfterSeconds(text: string | undefined, nowMs: number): number {
  if (text === undefined) return 0
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - nowMs) / 1000)
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(seconds, 0), maxWaitSeconds)
}
