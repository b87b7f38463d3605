import type { AnswerBody, AnyRoute, RouteInput } from '@crewhall/contracts/route.ts'
import type { FastifyRequest } from 'fastify'
import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Answer } from '#platform/http/answer.ts'

/** Token and session routes act in a brand; public and platform routes do not. */
export type CtxOf<R extends AnyRoute> = R['auth'] extends { kind: 'token' | 'session' } ? BrandCtx : SystemCtx

/** A contract together with what answers it. Modules return a list of these. */
export interface MountedRoute {
  readonly spec: AnyRoute
  readonly run: (ctx: SystemCtx | BrandCtx, input: RouteInput<AnyRoute>) => Promise<unknown>
}

export function handle<const R extends AnyRoute>(
  spec: R,
  run: (ctx: CtxOf<R>, input: RouteInput<R>) => Promise<AnswerBody<R> | Answer> | AnswerBody<R> | Answer,
): MountedRoute {
  return { spec, run: run as unknown as MountedRoute['run'] }
}

/**
 * Tells who calls, and narrows the context to what that caller may touch. Identity provides it. Without
 * one the server refuses to start with any route that is not public.
 */
export type Authenticator = (
  spec: AnyRoute,
  request: FastifyRequest,
  ctx: SystemCtx,
) => Promise<SystemCtx | BrandCtx>
