import type { z } from 'zod'
import type { RefusalKind } from './refusal.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Format = 'json' | 'yaml' | 'md'

/** Who may call. Only `nobody` works without an authenticator; the server refuses to mount the others. */
export type Auth =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'token'; readonly scopes: readonly string[] }
  | { readonly kind: 'session' }
  | { readonly kind: 'platform_admin' }

export const anyone = (): Auth => ({ kind: 'nobody' })
export const token = (...scopes: string[]): Auth => ({ kind: 'token', scopes })
export const session = (): Auth => ({ kind: 'session' })
export const platformAdmin = (): Auth => ({ kind: 'platform_admin' })

export interface Upload {
  /** Name of the multipart field that holds the file. */
  readonly field: string
  readonly max_bytes: number
  readonly too_large: RefusalKind
  readonly missing: RefusalKind
}

type Schema = z.ZodType | undefined
type Answers = Readonly<Record<number, z.ZodType>>

export interface RouteSpec<
  Id extends string = string,
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  Responses extends Answers = Answers,
> {
  readonly id: Id
  readonly method: Method
  /** As in OpenAPI, `{name}` for a parameter. A colon is a plain character, as in `entries:near`. */
  readonly path: `/api/v1/${string}`
  readonly summary: string
  readonly auth: Auth
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly upload?: Upload
  readonly responses: Responses
  readonly refusals?: readonly RefusalKind<never>[]
  /** Answer of a malformed query or body: 422, or 400 in the board family (SYS-G4). */
  readonly invalid?: 400 | 422
  /** Answer of a path value that cannot name anything (SYS-G10). Default: 404 `Not found`. */
  readonly missing?: RefusalKind
  /** When set, the route takes `format` and answers in one of these; the first is the default. */
  readonly formats?: readonly [Format, ...Format[]]
  /** Health is never limited or shed (SYS-06). */
  readonly unlimited?: boolean
  readonly deadline_ms?: number
}

/** Every fact of a route, for the code that mounts, documents or calls any of them. */
export type AnyRoute = RouteSpec

type Infer<S> = S extends z.ZodType ? z.output<S> : undefined
type InferInput<S> = S extends z.ZodType ? z.input<S> : undefined

/** What a handler gets: validated values, in the types of the contract. */
export interface RouteInput<R extends AnyRoute> {
  readonly params: Infer<R['params']>
  readonly query: Infer<R['query']>
  readonly body: Infer<R['body']>
  readonly file: R['upload'] extends Upload ? UploadedFile : undefined
}

/** What a caller sends. */
export interface RouteCall<R extends AnyRoute> {
  readonly params: InferInput<R['params']>
  readonly query: InferInput<R['query']>
  readonly body: InferInput<R['body']>
}

export interface UploadedFile {
  readonly bytes: Uint8Array
  readonly filename: string
  readonly content_type: string
}

export type AnswerBody<R extends AnyRoute> = {
  [S in keyof R['responses']]: R['responses'][S] extends z.ZodType ? z.input<R['responses'][S]> : never
}[keyof R['responses']]

export function route<
  const Id extends string,
  const Responses extends Answers,
  Params extends Schema = undefined,
  Query extends Schema = undefined,
  Body extends Schema = undefined,
  const Rest extends Partial<RouteSpec> = Partial<RouteSpec>,
>(
  spec: RouteSpec<Id, Params, Query, Body, Responses> & Rest,
): RouteSpec<Id, Params, Query, Body, Responses> & Rest {
  return spec
}

/** The status a handler's plain return value is sent with: the lowest one the contract lists. */
export function successStatus(spec: AnyRoute): number {
  return Math.min(...Object.keys(spec.responses).map(Number))
}
