import { brandHeader } from './acting-for.ts'
import { knownAnswer, rememberAnswer } from './known-answers.ts'
import { fetchWithProgress } from './upload-fetch.ts'

/** What one gesture of a person means for the requests it makes. */
export interface Action {
  /** The same for every try of the gesture, so that trying again never does it twice. */
  readonly key?: string
  /** The version that the person looked at, as an ETag. */
  readonly if_match?: string
  readonly timeout_ms?: number
  /** Everything is checked and answered as ever, but nothing is written. */
  readonly is_dry_run?: boolean
  /** Of an upload: which part of it has been sent. */
  readonly onProgress?: (part: number) => void
  readonly signal?: AbortSignal
  /** It is about the session itself, whatever workspace that acts for. */
  readonly is_of_session?: boolean
}

/** The request did not get an answer: nothing is known of what the server did. */
export class NoAnswer extends Error {
  readonly reason: 'offline' | 'timeout' | 'network'
  readonly request_id: string | undefined
  readonly seconds: number

  constructor(reason: NoAnswer['reason'], requestId: string | undefined, ms: number) {
    super(reason)
    this.name = 'NoAnswer'
    this.reason = reason
    this.request_id = requestId
    this.seconds = Math.round(ms / 1000)
  }
}

const readLimitMs = 30_000
const writeLimitMs = 60_000

/** A name that nobody else has; `crypto.randomUUID` exists on secure origins alone. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export const newAction = (more: Omit<Action, 'key'> = {}): Action => ({ ...more, key: newId() })

function dryUrl(input: Parameters<typeof fetch>[0]): string {
  const url = new URL(String(input))
  url.searchParams.set('dry_run', 'true')
  return url.href
}

/** What a proxy answers for the server lacks the id by which the request can be looked up. */
function withId(response: Response, requestId: string): Response {
  if (response.headers.has('x-request-id')) return response
  const headers = new Headers(response.headers)
  headers.set('x-request-id', requestId)
  const { status, statusText } = response
  return new Response(response.body, { status, statusText, headers })
}

/**
 * `fetch` as all calls of the dashboard make it: with a limit of time, a request id that is known before the answer, the
 * answer of the last time if it still holds, and the key and version of a write.
 */
export function ownFetch(action: Action = {}): typeof fetch {
  return async (input, init = {}) => {
    const isRead = (init.method ?? 'GET') === 'GET'
    const url = action.is_dry_run && !isRead ? dryUrl(input) : String(input)
    const limitMs = action.timeout_ms ?? (isRead ? readLimitMs : writeLimitMs)
    const requestId = `web-${newId()}`
    const headers = new Headers(init.headers)
    headers.set('x-request-id', requestId)
    if (!action.is_of_session)
      for (const [name, value] of Object.entries(brandHeader())) headers.set(name, value)
    if (!isRead && action.key) headers.set('idempotency-key', action.key)
    if (!isRead && action.if_match) headers.set('if-match', action.if_match)
    const known = isRead ? knownAnswer(url) : undefined
    if (known) headers.set('if-none-match', known.etag)
    const limit = AbortSignal.timeout(limitMs)
    const signal = action.signal ? AbortSignal.any([limit, action.signal]) : limit
    try {
      const whole = { ...init, headers, signal, credentials: 'same-origin' } as const
      const response = await (action.onProgress
        ? fetchWithProgress(url, whole, action.onProgress)
        : fetch(url, whole))
      if (response.status === 304 && known) return known.response()
      if (isRead && response.ok) return await rememberAnswer(url, response)
      return response.ok ? response : withId(response, requestId)
    } catch (error) {
      if (action.signal?.aborted) throw error
      const reason = limit.aborted ? 'timeout' : navigator.onLine ? 'network' : 'offline'
      throw new NoAnswer(reason, requestId, limitMs)
    }
  }
}
