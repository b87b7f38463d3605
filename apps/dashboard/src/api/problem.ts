import { ApiError } from '@crewhall/client/client.ts'
import { NoAnswer } from './own-fetch.ts'

/** An error in the words that are shown: what failed, whether anything changed, and what to look up. */
export interface Problem {
  readonly kind:
    | 'refused'
    | 'signed_out'
    | 'forbidden'
    | 'missing'
    | 'conflict'
    | 'outage'
    | 'offline'
    | 'bug'
  readonly text: string
  readonly request_id: string | undefined
  /** Nothing was written, for sure. */
  readonly is_unchanged: boolean
  /** The same call may succeed later. */
  readonly may_retry: boolean
}

const kinds: Readonly<Record<number, Problem['kind']>> = {
  401: 'signed_out',
  403: 'forbidden',
  404: 'missing',
  409: 'conflict',
  412: 'conflict',
  429: 'outage',
}

export function problemOf(error: unknown): Problem {
  if (error instanceof ApiError) return ofAnswer(error)
  if (error instanceof NoAnswer) return ofSilence(error)
  return {
    kind: 'bug',
    text: error instanceof Error ? error.message : String(error),
    request_id: undefined,
    is_unchanged: false,
    may_retry: false,
  }
}

function ofAnswer({ status, detail, request_id }: ApiError): Problem {
  const isOutage = status >= 502 || status === 429
  return {
    kind: status === 500 ? 'bug' : status > 500 ? 'outage' : (kinds[status] ?? 'refused'),
    text: textOf(detail),
    request_id,
    is_unchanged: status < 500 || status === 503,
    may_retry: isOutage || status === 500,
  }
}

/** A refusal with facts beside its text has the text as `message`. */
function textOf(detail: ApiError['detail']): string {
  if (typeof detail === 'string') return detail
  return typeof detail.message === 'string' ? detail.message : JSON.stringify(detail)
}

function ofSilence({ reason, request_id, seconds }: NoAnswer): Problem {
  const text = {
    timeout: `The server did not respond within ${seconds} seconds.`,
    network: 'The server cannot be reached.',
    offline: 'This device is offline.',
  }[reason]
  return {
    kind: reason === 'timeout' ? 'outage' : 'offline',
    text,
    request_id,
    is_unchanged: false,
    may_retry: true,
  }
}

/** It is there no longer, or not for this person: what is still known of it is not shown. Other failures leave it. */
export const isGone = (error: unknown): boolean =>
  error !== null && ['missing', 'forbidden'].includes(problemOf(error).kind)

/** Reads are tried again where time may help; writes are the person's to repeat. */
export const shouldRetry = (tries: number, error: unknown): boolean =>
  tries < 2 && problemOf(error).may_retry && problemOf(error).kind !== 'offline'
