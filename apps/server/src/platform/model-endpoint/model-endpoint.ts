import type { OpenAI } from 'openai'
import { limitedFetch, TooLarge } from '#platform/model-endpoint/limited-fetch.ts'
import { Outage, type OutageReason, type Part } from '#platform/outage/outage.ts'

export interface EndpointOptions {
  readonly part: Part
  /** Up to and including the version, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string
  readonly api_key: string | undefined
  /** Longest response, after decompression. */
  readonly body_limit_bytes: number
}

export interface RequestOptions {
  readonly signal: AbortSignal
}

/** An endpoint with the interface of OpenAI. Operators choose its address, tenants do not. */
export interface ModelEndpoint {
  /** One request. Throws nothing but an `Outage`, whose cause holds neither key nor texts. */
  call<T>(work: (client: OpenAI, request: RequestOptions) => PromiseLike<T>, signal: AbortSignal): Promise<T>
}

export function createModelEndpoint(options: EndpointOptions): ModelEndpoint {
  let client: Promise<OpenAI> | undefined
  return {
    async call(work, signal) {
      // Most processes never call a model, and the library takes a while to load.
      client ??= connectTo(options)
      const ready = await client
      try {
        return await work(ready, { signal })
      } catch (error) {
        throw outageOf(options.part, error, signal)
      }
    },
  }
}

async function connectTo({ url, api_key, body_limit_bytes }: EndpointOptions): Promise<OpenAI> {
  const { OpenAI } = await import('openai')
  return new OpenAI({
    baseURL: url,
    apiKey: api_key ?? 'none',
    ...(api_key ? {} : { defaultHeaders: { authorization: null } }),
    // The library would take these from the environment.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    // Ours are inside the time limit of the whole call, which the library does not know.
    maxRetries: 0,
    fetch: limitedFetch(body_limit_bytes),
  })
}

/** What an error means. Its message may hold the prompt, or the key, and is not kept. */
function outageOf(part: Part, error: unknown, signal: AbortSignal): Outage {
  if (signal.aborted) return new Outage(part, 'timeout', { cause: abortOf(signal) })
  if (isTooLarge(error)) return new Outage(part, 'bad_answer', { cause: new Error('response too large') })
  const { status, cause } = (error instanceof Error ? error : {}) as { status?: unknown; cause?: unknown }
  if (typeof status === 'number') {
    const why = new EndpointStatus(status, retryAfterMs(error))
    return new Outage(part, reasonOf(status), { cause: why })
  }
  // The library parses the body; what it could not parse came from an endpoint that is there.
  if (error instanceof SyntaxError)
    return new Outage(part, 'bad_answer', { cause: new Error('response is not JSON') })
  return new Outage(part, 'unreachable', { cause: new Error(codeOf(cause) ?? 'connection failed') })
}

/** Who ended a call: its time limit, or a caller that no longer waits. */
const abortOf = ({ reason }: AbortSignal): Error =>
  reason instanceof Error && reason.name === 'TimeoutError' ? new Error('late') : new CallerGone()

/** The caller gave up, which says nothing about the endpoint. */
export class CallerGone extends Error {}

/** The status that an endpoint refused with. */
export class EndpointStatus extends Error {
  readonly status: number
  readonly retry_after_ms: number | undefined

  constructor(status: number, retryAfter?: number) {
    super(`status ${status}`)
    this.status = status
    this.retry_after_ms = retryAfter
  }
}

function reasonOf(status: number): OutageReason {
  if (status === 429) return 'overloaded'
  if (status === 408 || status === 504) return 'timeout'
  return status >= 500 ? 'unreachable' : 'refused'
}

function retryAfterMs(error: unknown): number | undefined {
  const { headers } = error as { headers?: Headers }
  const seconds = Number(headers?.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}

/** The library wraps what `fetch` throws, and `fetch` wraps what the socket says. */
function* causesOf(error: unknown): Generator<Error> {
  let each = error
  for (let depth = 0; each instanceof Error && depth < 5; depth += 1) {
    yield each
    each = each.cause
  }
}

const isTooLarge = (error: unknown): boolean => causesOf(error).some((each) => each instanceof TooLarge)

function codeOf(error: unknown): string | undefined {
  for (const each of causesOf(error)) {
    if ('code' in each && typeof each.code === 'string' && /^[A-Z_]+$/.test(each.code)) return each.code
  }
  return undefined
}
