import { isEventStream, mediaTypesOf, nothing } from '@crewhall/contracts/bytes.ts'
import type { Detail } from '@crewhall/contracts/refusal.ts'
import type { AnyRoute, RouteCall, RouteResult, RouteSpec } from '@crewhall/contracts/route.ts'
import { routes } from '@crewhall/contracts/routes.ts'

export interface ClientOptions {
  readonly base_url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof fetch
  /** Results stay as the service sent them, with fields that a contract of this version does not know. */
  readonly as_sent?: boolean
}

/** An answer the contract does not list as a result: a refusal, an outage or a fault of the service. */
export class ApiError extends Error {
  readonly status: number
  readonly detail: Detail
  readonly request_id: string | undefined

  constructor(status: number, detail: Detail, requestId: string | undefined) {
    super(`${status}: ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`)
    this.name = 'ApiError'
    this.status = status
    this.detail = detail
    this.request_id = requestId
  }
}

type MethodOf<R extends AnyRoute> = keyof RouteCall<R> extends never
  ? () => Promise<RouteResult<R>>
  : (call: RouteCall<R>) => Promise<RouteResult<R>>

type ClientOf<Routes> = {
  readonly [M in keyof Routes]: {
    readonly [K in keyof Routes[M]]: Routes[M][K] extends RouteSpec ? MethodOf<Routes[M][K]> : never
  }
}

export type Client = ClientOf<typeof routes>

/** A method for every contract: `client.system.getHealth()`. */
export const createClient = (options: ClientOptions): Client => clientOf(routes, options)

export function clientOf<Routes extends Record<string, Record<string, AnyRoute>>>(
  all: Routes,
  options: ClientOptions,
): ClientOf<Routes> {
  const modules = Object.entries(all).map(([module, methods]) => {
    const calls = Object.entries(methods).map(([name, spec]) => [
      name,
      (call = {}) => send(options, spec, call),
    ])
    return [module, Object.fromEntries(calls)]
  })
  return Object.fromEntries(modules) as ClientOf<Routes>
}

interface LooseCall {
  readonly params?: Record<string, unknown>
  readonly query?: Record<string, unknown>
  readonly body?: unknown
  readonly file?: Blob
}

async function send(options: ClientOptions, spec: AnyRoute, call: LooseCall): Promise<unknown> {
  const hasBody = call.body !== undefined
  const form = spec.upload && call.file ? formOf(spec.upload.field, call.file) : undefined
  const response = await (options.fetch ?? fetch)(urlOf(options.base_url, spec, call), {
    method: spec.method,
    headers: {
      accept: 'application/json',
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...options.headers,
    },
    ...(hasBody ? { body: JSON.stringify(call.body) } : {}),
    ...(form ? { body: form } : {}),
  })
  const schema = spec.responses[response.status]
  const body = await bodyOf(response, schema)
  if (schema) {
    const result = options.as_sent ? body : schema.parse(body)
    return { status: response.status, body: result, headers: response.headers }
  }
  const { detail = response.statusText } = (body ?? {}) as { detail?: Detail }
  throw new ApiError(response.status, detail, response.headers.get('x-request-id') ?? undefined)
}

function formOf(field: string, file: Blob): FormData {
  const form = new FormData()
  form.append(field, file, file instanceof File ? file.name : 'file')
  return form
}

async function bodyOf(
  response: Response,
  schema: AnyRoute['responses'][number] | undefined,
): Promise<unknown> {
  if (schema && isEventStream(schema)) return response.body
  if (schema && mediaTypesOf(schema)) return response.bytes()
  const text = await response.text()
  if (schema === nothing) return undefined
  return response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text
}

function urlOf(baseUrl: string, spec: AnyRoute, { params = {}, query = {} }: LooseCall): URL {
  const path = spec.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  )
  const url = new URL(`${baseUrl.replace(/\/$/, '')}${path}`)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  // JSON is what the schemas of the contract describe, whatever the route returns by default.
  if (spec.formats?.accepts.includes('json') && !url.searchParams.has('format'))
    url.searchParams.set('format', 'json')
  return url
}
