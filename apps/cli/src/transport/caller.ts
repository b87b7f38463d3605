import { randomUUID } from 'node:crypto'
import { ApiError, clientOf } from '@crewhall/client/client.ts'
import { notFound } from '@crewhall/contracts/refusal.ts'
import { type AnyRoute, isRead, takesKey } from '@crewhall/contracts/route.ts'
import { endingOf } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { headerOf } from './credential.ts'
import { patientFetch } from './patient-fetch.ts'

export interface CallerOptions {
  readonly host: string
  /** A token or a session, as it is kept. */
  readonly token: string | undefined
  readonly version: string
  /** Of one attempt; a contract with a longer deadline gets that. */
  readonly limit_ms: number
  /** The key of this invocation. Its writes carry it, numbered, in every attempt. */
  readonly key?: string | undefined
  readonly signal?: AbortSignal
  readonly onWait?: (reason: string, wait_ms: number) => void
}

export interface RouteInput {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly file?: Blob
  readonly if_match?: string | undefined
}

export interface Answer {
  readonly status: number
  /** As it was sent, with fields that our contracts do not know. */
  readonly body: unknown
  readonly headers: Headers
}

/** Calls routes of one service with one credential. */
export class Caller {
  readonly #options: CallerOptions
  readonly #key: string
  #writes = 0

  constructor(options: CallerOptions) {
    this.#options = options
    this.#key = options.key ?? randomUUID()
  }

  get host(): string {
    return this.#options.host
  }

  async call(route: AnyRoute, input: RouteInput = {}): Promise<Answer> {
    const { host, limit_ms } = this.#options
    const key = takesKey(route) ? this.#nextKey() : undefined
    const client = clientOf(
      { one: { call: route } },
      {
        base_url: host,
        headers: {
          ...this.headers(),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
          ...(input.if_match === undefined ? {} : { 'if-match': input.if_match }),
        },
        as_sent: true,
        fetch: patientFetch({
          ...this.#patience(isRead(route) || key !== undefined),
          limit_ms: Math.max(limit_ms, route.deadline_ms ?? 0),
        }),
      },
    )
    const call = client.one.call as unknown as (input: RouteInput) => Promise<Answer>
    try {
      return await call(input)
    } catch (error) {
      throw error instanceof ApiError ? await this.#refused(error, route) : error
    }
  }

  /** Any path of the service, for what no contract describes and for what stays open. */
  async request(
    path: string,
    init: RequestInit & { readonly stream?: boolean; readonly may_repeat?: boolean } = {},
  ): Promise<Response> {
    const { stream, may_repeat, ...rest } = init
    const method = (init.method ?? 'GET').toUpperCase()
    const isWrite = !['GET', 'HEAD'].includes(method)
    const headers = new Headers({ ...this.headers(), ...(rest.headers as Record<string, string>) })
    if (isWrite && may_repeat !== false && !headers.has('idempotency-key'))
      headers.set('idempotency-key', this.#nextKey())
    const url = new URL(path, this.#options.host)
    if (url.origin !== this.#options.host) throw new Failure('error', `${path} is not a path of the service`)
    const send = patientFetch({
      ...this.#patience(!isWrite || headers.has('idempotency-key')),
      limit_ms: stream ? undefined : this.#options.limit_ms,
      ...(rest.signal ? { signal: rest.signal } : {}),
    })
    return send(url, { ...rest, method, headers })
  }

  headers(): Record<string, string> {
    const { token, version } = this.#options
    return {
      'user-agent': `crewhall-cli/${version}`,
      ...(token === undefined ? {} : headerOf(token)),
    }
  }

  #patience(may_repeat: boolean) {
    const { signal, onWait } = this.#options
    return { may_repeat, ...(signal ? { signal } : {}), ...(onWait ? { onWait } : {}) }
  }

  /** An invocation may write more than once: the same key for another request would be refused. */
  #nextKey(): string {
    this.#writes += 1
    return this.#writes === 1 ? this.#key : `${this.#key}-${this.#writes}`
  }

  async #refused({ status, detail, request_id }: ApiError, route: AnyRoute): Promise<Failure> {
    // The refusals of a contract have words of their own: these are of a service that does not know the route.
    const isUnknown = status === 404 && detail === notFound.text && !texts(route).includes(notFound.text)
    const message = isUnknown
      ? `this server does not have ${route.method} ${route.path} (${await this.#versions()})`
      : wordsOf(detail)
    return new Failure(endingOf(status), message, {
      status,
      detail,
      request_id,
      ...remedyFor(status),
    })
  }

  async #versions(): Promise<string> {
    const theirs = await this.request('/api/v1/system/info')
      .then(async (response) => ((await response.json()) as { version?: unknown }).version)
      .catch(() => undefined)
    const known =
      typeof theirs === 'string' ? `it is version ${theirs.slice(0, 40)}` : 'its version is unknown'
    return `${known}, the command line ${this.#options.version}`
  }
}

const texts = ({ refusals = [], missing }: AnyRoute): string[] =>
  [...refusals, ...(missing ? [missing] : [])].map(({ text }) => text)

/** A structured refusal has its sentence in `message`. */
export function wordsOf(detail: unknown): string {
  if (typeof detail === 'string') return detail
  const { message } = (detail ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : JSON.stringify(detail)
}

function remedyFor(status: number): { remedy?: string } {
  if (status === 401) return { remedy: 'crewhall auth login' }
  if (status === 403) return { remedy: 'crewhall auth status shows what this sign-in may do' }
  return {}
}
