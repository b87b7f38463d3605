import type { z } from 'zod'
import type { RefusalKind } from './refusal.ts'
import type { Scope } from './scopes.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Format = 'json' | 'yaml' | 'md'

/** Who may call. Only `nobody` works without an authenticator; the server refuses to mount the others. */
export type Auth =
  /** `optional`: a session that is brought along is looked at, and nobody needs one. */
  | { readonly kind: 'nobody'; readonly session?: 'optional' }
  /** A token with these scopes, or a session, whose role alone counts (AUTH-G2). */
  | { readonly kind: 'token'; readonly scopes: readonly Scope[]; readonly role: Role }
  /** A session only; a token is no credential here. */
  | { readonly kind: 'session'; readonly role: Role }
  /** Somebody who signed in, also without a workspace. */
  | { readonly kind: 'person'; readonly credential: 'session' | 'any' }
  | { readonly kind: 'platform_admin' }

/** What the caller must be in the workspace: any active member, or an admin of it. */
export type Role = 'member' | 'admin'

export const anyone = (): Auth & { kind: 'nobody' } => ({ kind: 'nobody' })
export const visitor = (): Auth & { kind: 'nobody' } => ({ kind: 'nobody', session: 'optional' })
export const token = (...scopes: Scope[]): Auth & { kind: 'token' } => ({
  kind: 'token',
  scopes,
  role: 'member',
})
export const adminToken = (...scopes: Scope[]): Auth & { kind: 'token' } => ({
  kind: 'token',
  scopes,
  role: 'admin',
})
export const session = (): Auth & { kind: 'session' } => ({ kind: 'session', role: 'member' })
export const person = (credential: 'session' | 'any'): Auth & { kind: 'person' } => ({
  kind: 'person',
  credential,
})
export const platformAdmin = (): Auth & { kind: 'platform_admin' } => ({ kind: 'platform_admin' })

export interface Upload {
  /** Name of the multipart field that holds the file. */
  readonly field: string
  readonly max_bytes: number
  readonly too_large: RefusalKind
  readonly missing: RefusalKind
}

export interface Example {
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
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
  /** What somebody needs to know who calls it for the first time, in Markdown. */
  readonly description?: string
  /** A call that works, but for ids, which are the caller’s own. Without it the plain call is the example. */
  readonly example?: Example
  readonly auth: Auth
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly upload?: Upload
  readonly responses: Responses
  readonly refusals?: readonly RefusalKind<never>[]
  /**
   * Which parameter names which thing of a workspace: `brand_id`, or `body.brand_id` and `query.brand_id`
   * outside the path. The tenant matrix tries each with things of other workspaces.
   */
  readonly resources?: Readonly<Record<string, string>>
  /** Answer of a malformed query or body: 422, or 400 in the board family (SYS-G4). */
  readonly invalid?: 400 | 422
  /**
   * Answer of another workspace's thing, where the interface tells it from a missing one (BRD-14). Without it
   * the two are one answer.
   */
  readonly foreign?: RefusalKind
  /** Answer of a path value that cannot name anything (SYS-G10). Default: 404 `Not found`. */
  readonly missing?: RefusalKind
  /** Answer of any outage, also of one before it is known who calls, where the interface words it (MBR-29). */
  readonly outage?: RefusalKind
  /** When set, the route takes `format`. A default may be a format that cannot be asked for by name (FEAT-15). */
  readonly formats?: { readonly default: Format; readonly accepts: readonly Format[] }
  /**
   * Takes `dry_run=true`: everything is checked and answered as ever, and nothing is written. A write without
   * it refuses the parameter.
   */
  readonly dry_run?: boolean
  /** Takes `If-Match` with the version of the thing in the path. */
  readonly versioned?: boolean
  /** The answer holds a secret that is not kept anywhere, so it cannot be told again to an Idempotency-Key. */
  readonly tells_once?: boolean
  /**
   * The rules of the route compare every text in its path and body with fixed lists and have a refusal for the rest
   * of them, so NUL and unpaired surrogates are theirs to refuse as well (PROF-46 to PROF-66).
   */
  readonly judges_texts?: boolean
  /** The body holds a password or another secret. Nothing made from it is kept, so it takes no Idempotency-Key. */
  readonly takes_secret?: boolean
  /** Health is never limited or shed (SYS-06). */
  readonly unlimited?: boolean
  /** Begins or ends a session. */
  readonly sets_cookie?: boolean
  readonly deadline_ms?: number
  /** Can be longer than a process should hold for each caller, so it is sent in batches (`ListAnswer`). */
  readonly is_long?: boolean
}

/** Every fact of a route, for the code that mounts, documents or calls any of them. */
export type AnyRoute = RouteSpec

type Infer<S> = S extends z.ZodType ? z.output<S> : undefined

/** What a handler gets: validated values, in the types of the contract. */
export interface RouteInput<R extends AnyRoute> {
  readonly params: Infer<R['params']>
  readonly query: Infer<R['query']>
  readonly body: Infer<R['body']>
  readonly file: R['upload'] extends Upload ? UploadedFile : undefined
  /** Where the request comes from, as limits count it. */
  readonly network: string
  /** What the client says it is. Anybody writes anything there, up to the limit of all headers. */
  readonly user_agent: string | undefined
  /** Of a versioned route: the versions that `If-Match` names, one of which must be the present one. */
  readonly if_match: readonly number[] | undefined
}

type Field<Key extends string, S> = S extends z.ZodType ? { readonly [K in Key]: z.input<S> } : object

/** What a caller sends: only the parts that the route takes. */
export type RouteCall<R extends AnyRoute> = Field<'params', R['params']> &
  Field<'query', R['query']> &
  Field<'body', R['body']> &
  (R['upload'] extends Upload ? { readonly file: Blob } : object)

/** What a caller gets: one case for every status that the contract lists. */
export type RouteResult<R extends AnyRoute> = {
  [S in keyof R['responses']]: R['responses'][S] extends z.ZodType
    ? { readonly status: S; readonly body: z.output<R['responses'][S]>; readonly headers: Headers }
    : never
}[keyof R['responses']]

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

/** Whether a caller may give the request a key and ask again with it: writes in a workspace, except uploads and secrets. */
export function takesKey({ method, auth, upload, takes_secret }: AnyRoute): boolean {
  const isInWorkspace = auth.kind === 'token' || auth.kind === 'session'
  return method !== 'GET' && isInWorkspace && upload === undefined && !takes_secret
}

/** Whether a write can be tried with `dry_run=true`: that needs a transaction of one workspace, as a key does. */
export const takesDryRun = (route: AnyRoute): boolean => route.dry_run === true && takesKey(route)

/** Every format a route may answer in. */
export function formatsOf({ formats }: AnyRoute): readonly Format[] {
  return formats ? [...new Set([formats.default, ...formats.accepts])] : ['json']
}
