import type { z } from 'zod'
import type { AnswerHeader } from './answer-headers.ts'
import type { DatabaseHandle } from './database-handles.ts'
import type { RefusalKind } from './refusal.ts'
import type { Scope } from './scopes.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Format = 'json' | 'yaml' | 'md'
/** `checklist`: a list of steps with `title`, `state`, `reason` and `hint` becomes one with check marks. */
export type MarkdownForm = 'checklist'

/** Who may call. Only `nobody` works without an authenticator; the server refuses to mount the others. */
export type Auth =
  /**
   * `optional`: a session is used if there is one. `signed`: the body is signed with a secret of what the path names, and is
   * looked at only if it is; every reason against it gets this refusal.
   */
  | { readonly kind: 'nobody'; readonly session?: 'optional'; readonly signed?: RefusalKind }
  /** A token with these scopes, or a session; for a session only the role counts (AUTH-G2). */
  | { readonly kind: 'token'; readonly scopes: readonly Scope[]; readonly role: Role }
  /** A session; tokens are refused. */
  | { readonly kind: 'session'; readonly role: Role }
  /** A signed-in person, with or without a workspace. */
  | { readonly kind: 'person'; readonly credential: 'session' | 'any' }
  | { readonly kind: 'platform_admin' }
  /**
   * A session in its workspace, or an admin of the platform by key or staff session, in none. Any admin credential selects
   * the admin path, and a wrong key is refused whatever the session is (AUTH-G3).
   */
  | { readonly kind: 'session_or_admin'; readonly role: Role }
  /**
   * A desk, in its own workspace: with the secret that it joins with, with that and the key it brings, or with the key that
   * it has. Signatures are those of `fleet/signature.ts`.
   */
  | { readonly kind: 'desk'; readonly credential: DeskCredential }

export type DeskCredential = 'join_secret' | 'join_secret_and_key' | 'key'

/** The role required in the workspace: any active member, or an admin. */
export type Role = 'member' | 'admin'

export const anyone = (): Auth & { kind: 'nobody' } => ({ kind: 'nobody' })
export const visitor = (): Auth & { kind: 'nobody' } => ({ kind: 'nobody', session: 'optional' })
export const signed = (refused: RefusalKind): Auth & { kind: 'nobody'; signed: RefusalKind } => ({
  kind: 'nobody',
  signed: refused,
})
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

export const sessionOrAdmin = (): Auth & { kind: 'session_or_admin' } => ({
  kind: 'session_or_admin',
  role: 'member',
})

export const desk = <const Kind extends DeskCredential>(
  credential: Kind,
): Auth & { kind: 'desk'; credential: Kind } => ({ kind: 'desk', credential })

/** Whether the request is signed over a digest of its body, which then has to fit. */
export const isSignedByDesk = ({ auth }: Pick<AnyRoute, 'auth'>): boolean =>
  auth.kind === 'desk' && auth.credential !== 'join_secret'

export interface Upload {
  /** Name of the multipart field that holds the file. */
  readonly field: string
  readonly max_bytes: number
  readonly too_large: RefusalKind
  readonly missing: RefusalKind
  /** Too large to be held in memory for each caller: it waits in a file, and its digest is known. */
  readonly spooled?: true
  /** A small file that the route takes; a picture by default. */
  readonly sample?: { readonly name: string; readonly text: string }
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
  /** A POST that only reads, such as a search: no Idempotency-Key, no dry run, and the context of a GET. */
  readonly is_read?: true
  /** As in OpenAPI, `{name}` for a parameter. A colon is a plain character, as in `entries:near`. */
  readonly path: `/api/v1/${string}`
  readonly summary: string
  /** What a first-time caller needs to know, in Markdown. */
  readonly description?: string
  /** A working call except for ids, which are the caller’s own. By default, a call without query and body. */
  readonly example?: Example
  readonly auth: Auth
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** Of a `session_or_admin` route: the body on the admin path. `body` is then that of a session alone. */
  readonly admin_body?: z.ZodType
  readonly upload?: Upload
  readonly responses: Responses
  readonly refusals?: readonly RefusalKind<never>[]
  /**
   * The kind of resource that each parameter names: `brand_id`, or `body.brand_id` and `query.brand_id` outside the
   * path. The tenant matrix calls the route with ids of other workspaces.
   */
  readonly resources?: Readonly<Record<string, string>>
  /** Status for a malformed query or body: 422, or 400 in the board family (SYS-G4). */
  readonly invalid?: 400 | 422
  /**
   * Refusal of another workspace's resource, where the interface distinguishes it from a missing one (BRD-14). By
   * default both get the same.
   */
  readonly foreign?: RefusalKind
  /** Refusal of a path value that cannot name anything (SYS-G10); 422 where the interface says so. Default: 404. */
  readonly missing?: RefusalKind
  /** Response to any outage, even before authentication, where the interface fixes the text (MBR-29). */
  readonly outage?: RefusalKind
  /**
   * The handle that everything after authentication runs on: rows, audit, events, jobs and the stored response commit
   * there in one transaction. Its outages and its deadline have their own statuses.
   */
  readonly database?: DatabaseHandle
  /** When set, the route takes `format`. The default may be a format that `format` does not accept (FEAT-15). */
  readonly formats?: {
    readonly default: Format
    readonly accepts: readonly Format[]
    /** How Markdown presents the response, where facts and tables do not do. */
    readonly md?: MarkdownForm
  }
  /**
   * Takes `dry_run=true`: everything is checked and the response is the same, but nothing is written. Other writes
   * refuse the parameter.
   */
  readonly dry_run?: boolean
  /** Takes `If-Match` with the version of the resource in the path. */
  readonly versioned?: boolean
  /** The response contains a secret that is not stored, so it cannot be replayed for an Idempotency-Key. */
  readonly tells_once?: boolean
  /**
   * The rules of the route compare all text with fixed lists and refuse the rest, including NUL and unpaired surrogates
   * (PROF-46 to PROF-66).
   */
  readonly judges_texts?: boolean
  /** The body contains a secret. Nothing derived from it is stored, so the route takes no Idempotency-Key. */
  readonly takes_secret?: boolean
  /** Health is never limited or shed (SYS-06). */
  readonly unlimited?: boolean
  /** Of a body that may be longer than others. Few of these are read at a time. */
  readonly max_body_bytes?: number
  /** Starts or ends a session. */
  readonly sets_cookie?: boolean
  /** Headers of its own, besides those that shared layers add. */
  readonly sends?: readonly AnswerHeader[]
  readonly deadline_ms?: number
  /** Too long to hold in memory for each caller, so it is sent in batches (`ListAnswer`). */
  readonly is_long?: boolean
}

/** Any route, for code that mounts, documents or calls all of them. */
export type AnyRoute = RouteSpec

type Infer<S> = S extends z.ZodType ? z.output<S> : undefined

/** Input of a handler: validated values in the types of the contract. */
export interface RouteInput<R extends AnyRoute> {
  readonly params: Infer<R['params']>
  readonly query: Infer<R['query']>
  readonly body: Infer<R['body']>
  readonly file: R['upload'] extends { readonly spooled: true }
    ? SpooledUpload
    : R['upload'] extends Upload
      ? UploadedFile
      : undefined
  /** The network of the client, as rate limits count it. */
  readonly network: string
  /** Untrusted; bounded only by the limit on all headers. */
  readonly user_agent: string | undefined
  /** On versioned routes: the versions in `If-Match`, one of which must be the current one. */
  readonly if_match: readonly number[] | undefined
}

/** Input on the admin path of a `session_or_admin` route. */
export type AdminInput<R extends AnyRoute> = R['admin_body'] extends z.ZodType
  ? Omit<RouteInput<R>, 'body'> & { readonly body: z.output<R['admin_body']> }
  : RouteInput<R>

type Field<Key extends string, S> = S extends z.ZodType ? { readonly [K in Key]: z.input<S> } : object

/** Input of a call: only the parts that the route takes. */
export type RouteCall<R extends AnyRoute> = Field<'params', R['params']> &
  Field<'query', R['query']> &
  (R['admin_body'] extends z.ZodType
    ? Field<'body', R['body']> | Field<'body', R['admin_body']>
    : Field<'body', R['body']>) &
  (R['upload'] extends Upload ? { readonly file: Blob } : object)

/** Result of a call: one case per status of the contract. */
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

/** A file that is only there until its request is answered. */
export interface SpooledUpload {
  readonly filename: string
  readonly size: number
  /** SHA-256, in hexadecimal digits. */
  readonly digest: string
  /** Its first bytes, at most 4 KiB. */
  readonly head: Uint8Array
  /** All of it is UTF-8 without NUL. */
  readonly is_text: boolean
  /** From the beginning, as often as needed, but not twice at a time. */
  read(): Uint8Array | AsyncIterable<Uint8Array>
  discard(): Promise<void>
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
  definitions.set(spec, definitions.size)
  return spec
}

/** Every route with its number in order of definition: a namespace forgets that order, and readers follow it. */
const definitions = new Map<unknown, number>()
export const definitionOf = (value: unknown): number | undefined => definitions.get(value)

/** The status a handler's plain return value is sent with: the lowest one the contract lists. */
export function successStatus(spec: AnyRoute): number {
  return Math.min(...Object.keys(spec.responses).map(Number))
}

/** Whether the route changes nothing. */
export const isRead = ({ method, is_read }: AnyRoute): boolean => method === 'GET' || is_read === true

/**
 * Whether the route takes an Idempotency-Key: writes in a workspace, except secrets and uploads without a digest. Admins
 * of the platform are in no workspace, so theirs is not looked at.
 */
export function takesKey(route: AnyRoute): boolean {
  const { auth, upload, takes_secret } = route
  const isInWorkspace = ['token', 'session', 'session_or_admin'].includes(auth.kind)
  return !isRead(route) && isInWorkspace && (!upload || upload.spooled === true) && !takes_secret
}

/**
 * Whether the route takes `dry_run=true`. Like a key, that requires a transaction of one workspace, whoever calls: an admin
 * of the platform would do in earnest what a session only tries.
 */
export const takesDryRun = (route: AnyRoute): boolean =>
  route.dry_run === true && takesKey(route) && route.auth.kind !== 'session_or_admin'

/** What a sender shows with a signed body: one of these. */
export const signatureHeaders = {
  /** `sha256=` and the HMAC of the body in hexadecimal digits. */
  hmac: 'x-hub-signature-256',
  /** As Standard Webhooks has it, over id, time and body. */
  standard: 'webhook-signature',
  /** The secret itself. */
  token: 'x-gitlab-token',
} as const

/** Every format that a route may return. */
export function formatsOf({ formats }: AnyRoute): readonly Format[] {
  return formats ? [...new Set([formats.default, ...formats.accepts])] : ['json']
}
