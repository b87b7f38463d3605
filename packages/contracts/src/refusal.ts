/** What `detail` may be on the wire (SYS-16): a sentence, or an object for structured refusals. */
export type Detail = string | Record<string, unknown>

/** A 4xx response: the caller can act on it. Thrown by services, never caught by routes. */
export class Refusal extends Error {
  readonly status: number
  readonly detail: Detail
  readonly headers: Record<string, string>

  constructor(status: number, detail: Detail, headers: Record<string, string> = {}, cause?: unknown) {
    super(typeof detail === 'string' ? detail : JSON.stringify(detail), { cause })
    this.name = 'Refusal'
    this.status = status
    this.detail = detail
    this.headers = headers
  }
}

export interface RefusalKind<Args extends unknown[] = []> {
  (...args: Args): Refusal
  readonly status: number
  /** The fixed text, or the reason in words when the text depends on arguments. */
  readonly text: string
}

/** A refusal with a fixed text. The text lives here once; services throw it, tests and docs import it. */
export function refusal(status: number, text: string): RefusalKind {
  return Object.assign(() => new Refusal(status, text), { status, text })
}

/** A refusal whose detail is built from arguments. `text` describes it in the documentation. */
export function refusalOf<Args extends unknown[]>(
  status: number,
  text: string,
  build: (...args: Args) => Detail,
): RefusalKind<Args> {
  return Object.assign((...args: Args) => new Refusal(status, build(...args)), { status, text })
}

export const notFound = refusal(404, 'Not found')
export const tooManyRequests = refusal(429, 'Too many requests')
export const tooManyAtOnce = refusal(429, 'Too many requests at once')
/** With `Retry-After`: the daily limit of e-mails to an address or of a workspace is reached. */
export const tooManyLetters = refusal(429, 'Too many e-mails were sent; try again later')
export const tooManyStreams = refusal(429, 'Too many open streams for this caller')
export const tooManyWorkspaceStreams = refusal(429, 'Too many open streams for this workspace')
export const bodyTooLarge = refusal(413, 'Request body is too large')
export const keyReused = refusal(422, 'Idempotency-Key: already used for a different request')
export const keyInUse = refusal(409, 'Idempotency-Key: the first request with this key is still in progress')
export const toldOnce = refusal(
  409,
  'Idempotency-Key: the request was completed; its response is shown only once',
)
export const versionUnmet = refusal(412, 'If-Match: the resource has changed; fetch it again')
export const noVersion = refusal(412, 'If-Match: this resource has no version')
