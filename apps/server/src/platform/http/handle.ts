import type { IncomingHttpHeaders } from 'node:http'
import { type AnswerBody, type AnyRoute, type RouteInput, successStatus } from '@crewhall/contracts/route.ts'
import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Answer } from '#platform/http/answer.ts'
import type { EventStreamAnswer } from '#platform/http/event-stream.ts'
import type { FileAnswer } from '#platform/http/file-answer.ts'

/** Token and session routes act in a brand; public and platform routes do not. */
export type CtxOf<R extends AnyRoute> = R['auth'] extends { kind: 'token' | 'session' } ? BrandCtx : SystemCtx

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
  readonly run: (ctx: SystemCtx | BrandCtx, input: RouteInput<AnyRoute>) => Promise<unknown>
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
type Answered<R extends AnyRoute> = AnswerBody<R> | Answer | FileAnswer | EventStreamAnswer

export function handle<const R extends AnyRoute>(
  spec: R,
  run: (ctx: CtxOf<R>, input: RouteInput<R>) => Promise<Answered<R>> | Answered<R>,
  { reuses = false }: HandleOptions = {},
): MountedRoute {
  return { spec, run: run as unknown as MountedRoute['run'], reuses, success: successStatus(spec) }
}

/**
 * Tells who calls, and narrows the context to what that caller may touch. Identity provides it. Without
 * one the server refuses to start with any route that is not public.
 */
export interface Authenticator {
  /** `fresh` when what was remembered of the caller has turned out to be stale. */
  authenticate(
    spec: AnyRoute,
    request: Request,
    ctx: SystemCtx,
    fresh: boolean,
  ): Promise<SystemCtx | BrandCtx>
}
