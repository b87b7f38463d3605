import type { IncomingHttpHeaders } from 'node:http'
import type { RefusalKind } from '@crewhall/contracts/refusal.ts'
import {
  type AdminInput,
  type AnswerBody,
  type AnyRoute,
  isRead,
  type RouteInput,
  successStatus,
  type Upload,
} from '@crewhall/contracts/route.ts'
import type { Actor } from '#platform/ctx/actor.ts'
import type { BrandCtx, OutsideBrandCtx, OutsideSystemCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Answer } from '#platform/http/answer.ts'
import type { EventStreamAnswer } from '#platform/http/event-stream.ts'
import type { FileAnswer } from '#platform/http/file-answer.ts'
import type { ListAnswer } from '#platform/http/list-answer.ts'
import type { Claim } from '#platform/idempotency/claim.ts'

/** Token, session and desk routes act in a brand; public and platform routes do not; `kind` tells where both may be. */
type OutsideCtxOf<R extends AnyRoute> = R['auth'] extends { kind: 'token' | 'session' | 'desk' }
  ? OutsideBrandCtx
  : R['auth'] extends { kind: 'session_or_admin' }
    ? OutsideBrandCtx | OutsideSystemCtx
    : OutsideSystemCtx

/** What may run inside one transaction with a stored answer or as a dry run, as `takesKey` says, is never outside. */
type CtxOf<R extends AnyRoute> = R['method'] extends 'GET'
  ? OutsideCtxOf<R>
  : R['is_read'] extends true
    ? OutsideCtxOf<R>
    : R['upload'] extends Upload
      ? OutsideCtxOf<R>
      : R['auth'] extends { kind: 'token' | 'session' }
        ? BrandCtx
        : R['auth'] extends { kind: 'session_or_admin' }
          ? BrandCtx | OutsideSystemCtx
          : OutsideCtxOf<R>

/** What an authenticator may look at. */
export interface Request {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly params: unknown
  readonly ip: string
}

/** A contract together with what answers it. Modules return a list of these. */
export interface MountedRoute {
  readonly spec: AnyRoute
  readonly before?: (ctx: OutsideBrandCtx, input: RouteInput<AnyRoute>, claim: Claim) => Promise<unknown>
  readonly run: (
    ctx: SystemCtx | BrandCtx,
    input: RouteInput<AnyRoute>,
    prepared?: unknown,
  ) => Promise<unknown>
  /** Of a signed route: whose secret its body has to be signed with. */
  readonly signer?: (
    ctx: OutsideSystemCtx,
    params: unknown,
    headers: IncomingHttpHeaders,
  ) => Promise<Signer | undefined>
  readonly reuses: boolean
  /** The status of a plain answer. */
  readonly success: number
}

export interface HandleOptions {
  /**
   * The handler may return the very same object again and never changes one it has returned: its JSON is made
   * once for as long as the object lives.
   */
  readonly reuses?: boolean
}

/** A plain value for the first status of the contract, or one of the special answers. */
type Answered<R extends AnyRoute> = AnswerBody<R> | Answer | FileAnswer | ListAnswer | EventStreamAnswer

export function handle<const R extends AnyRoute>(
  spec: R,
  run: (ctx: CtxOf<R>, input: RouteInput<R>) => Promise<Answered<R>> | Answered<R>,
  { reuses = false }: HandleOptions = {},
): MountedRoute {
  if (spec.admin_body) throw new Error(`${spec.id} has two bodies: use handleEither`)
  return { spec, run: run as unknown as MountedRoute['run'], reuses, success: successStatus(spec) }
}

type EitherRoute = AnyRoute & { auth: { kind: 'session_or_admin' } }

interface EitherPath<R extends EitherRoute> {
  /** In the workspace of the session. */
  session(ctx: Extract<CtxOf<R>, { kind: 'brand' }>, input: RouteInput<R>): Promise<Answered<R>> | Answered<R>
  /** In no workspace: `ctx.forBrand(id)` acts in one, as the person or with the admin key. */
  admin(ctx: OutsideSystemCtx, input: AdminInput<R>): Promise<Answered<R>> | Answered<R>
}

/** For a route that a workspace and the platform both call, each in its own way. */
export function handleEither<const R extends EitherRoute>(spec: R, paths: EitherPath<R>): MountedRoute {
  const { session, admin } = paths as unknown as Record<keyof EitherPath<R>, MountedRoute['run']>
  const run: MountedRoute['run'] = (ctx, input) => (ctx.kind === 'brand' ? session : admin)(ctx, input)
  return { spec, run, reuses: false, success: successStatus(spec) }
}

interface EitherPhases<R extends EitherRoute, Prepared> extends Pick<EitherPath<R>, 'admin'> {
  /** On the path of a session, as in `handleInPhases`: `session` is then rows only. */
  before(ctx: OutsideBrandCtx, input: RouteInput<R>, claim: Claim): Promise<Prepared>
  session(ctx: BrandCtx, input: RouteInput<R>, prepared: Prepared): Promise<Answered<R>> | Answered<R>
}

/** The same for a write that has to wait for somebody else. An admin brings no key, so that path is never inside. */
export function handleEitherInPhases<const R extends EitherRoute, Prepared>(
  spec: R,
  phases: EitherPhases<R, Prepared>,
): MountedRoute {
  const { before, session, admin } = phases as unknown as Required<Pick<MountedRoute, 'before'>> &
    Record<keyof EitherPath<R>, MountedRoute['run']>
  const run: MountedRoute['run'] = (ctx, input, prepared) =>
    ctx.kind === 'brand' ? session(ctx, input, prepared) : admin(ctx, input)
  return { spec, before, run, reuses: false, success: successStatus(spec) }
}

interface RoutePhases<R extends AnyRoute, Prepared> {
  /** What is prepared only adds to the answer: a dry run goes without it, and `run` does everything else by itself. */
  readonly dry_runs?: 'without before'
  /**
   * Outside of any transaction: what waits for somebody else. Rows that must be there before go into small
   * transactions of their own, which bear repetition (`claim.once`).
   */
  before(ctx: OutsideBrandCtx, input: RouteInput<R>, claim: Claim): Promise<Prepared>
  /** Rows only. With an Idempotency-Key they commit together with the answer. */
  run(ctx: BrandCtx, input: RouteInput<R>, prepared: Prepared): Promise<Answered<R>> | Answered<R>
}

/** For a write that has to wait for somebody else, such as a mail server: it holds nothing meanwhile. */
export function handleInPhases<const R extends AnyRoute & { auth: { kind: 'token' | 'session' } }, Prepared>(
  spec: R,
  phases: RoutePhases<R, Prepared>,
): MountedRoute {
  if (isRead(spec)) throw new Error(`${spec.id} is a read and has no phases`)
  if (spec.dry_run && phases.dry_runs !== 'without before')
    throw new Error(`${spec.id} acts outside the database and cannot be a dry run`)
  const { before, run } = phases as unknown as Required<Pick<MountedRoute, 'before' | 'run'>>
  return { spec, before, run, reuses: false, success: successStatus(spec) }
}

export interface Signer {
  readonly secret: string
  /** The one before, while senders change over. */
  readonly old_secret?: string | undefined
}

interface SignedPhases<R extends AnyRoute, S extends Signer> {
  /** Undefined for what does not exist or has no secret: refused like a wrong signature. */
  signer(
    ctx: OutsideSystemCtx,
    params: RouteInput<R>['params'],
    headers: IncomingHttpHeaders,
  ): Promise<S | undefined>
  run(ctx: CtxOf<R>, input: RouteInput<R>, signer: S): Promise<Answered<R>> | Answered<R>
}

/** For what others send on their own, signed with a secret that they were given. */
export function handleSigned<
  const R extends AnyRoute & { auth: { kind: 'nobody'; signed: RefusalKind } },
  S extends Signer,
>(spec: R, phases: SignedPhases<R, S>): MountedRoute {
  const { signer, run } = phases as unknown as Required<Pick<MountedRoute, 'signer' | 'run'>>
  return { spec, signer, run, reuses: false, success: successStatus(spec) }
}

/**
 * Tells who calls, and narrows the context to what that caller may touch. Identity provides it. Without
 * one the server refuses to start with any route that is not public.
 */
export interface Authenticator {
  /** Whether the credential of a request was good a while ago, told without asking the database. */
  knows?(request: Pick<Request, 'headers'>): boolean
  /**
   * At once where it can: most callers are remembered. `fresh` when what was remembered has turned out to be stale.
   */
  authenticate(
    spec: AnyRoute,
    request: Request,
    ctx: OutsideSystemCtx,
    fresh: boolean,
  ): OutsideSystemCtx | OutsideBrandCtx | Promise<OutsideSystemCtx | OutsideBrandCtx>
  /**
   * Whether `authenticate` would let this caller in, who was let in elsewhere. Ids in the path may still be foreign. For what
   * is shown to a caller: what it calls is authenticated all the same.
   */
  permits?(spec: AnyRoute, caller: Actor): boolean
}
