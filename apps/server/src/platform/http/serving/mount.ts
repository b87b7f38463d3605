import type { AnyRoute } from '@crewhall/contracts/route.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Life, type Works } from '#platform/bulkheads/life.ts'
import { handleOf, partsOn } from '#platform/ctx/handles.ts'
import type { MountedRoute } from '#platform/http/handle.ts'
import type { Deadlines } from '#platform/http/limits/deadlines.ts'
import { withBodyLimit } from '#platform/http/request/long-bodies.ts'
import { uploadSlackBytes } from '#platform/http/request/multipart.ts'
import { fastifyPath } from '#platform/http/request/paths.ts'
import { inWordsOf } from '#platform/http/response/outage-words.ts'
import { type PerformOptions, perform } from '#platform/http/serving/perform.ts'
import { type SendOptions, sendAnswer } from '#platform/http/serving/send-answer.ts'
import { Wire, type WireOptions } from '#platform/http/serving/wire.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    spec?: AnyRoute
  }
}

export interface MountOptions extends PerformOptions, SendOptions, WireOptions {
  readonly body_limit_bytes: number
  readonly deadline_ms: number
  readonly deadlines: Deadlines
  /** Where the work of a request is done; on the main handle when nothing is said. */
  readonly works?: Works
}

/** A route with everything that is settled before the first request. */
export interface Mounted {
  readonly route: MountedRoute
  readonly options: MountOptions
  readonly limit_ms: number
}

/** Five megabytes over a slow line take their time, and they arrive while the handler waits. */
const uploadDeadlineMs = 30_000

export function mount(app: FastifyInstance, route: MountedRoute, common: MountOptions): Mounted {
  const { spec } = route
  const options = { ...common, ...choiceOf(spec, common) }
  const limitMs = spec.deadline_ms ?? (spec.upload ? uploadDeadlineMs : options.deadline_ms)
  if (spec.auth.kind !== 'nobody' && !options.authenticate) {
    throw new Error(`${spec.id} asks for a credential, and no authenticator is configured`)
  }
  if (spec.auth.kind === 'nobody' && spec.auth.signed && !route.signer) {
    throw new Error(`${spec.id} is signed, and nobody knows with which secret: use handleSigned`)
  }
  app.route({
    method: spec.method,
    url: fastifyPath(spec.path),
    config: { spec },
    ...(spec.upload ? { bodyLimit: spec.upload.max_bytes + uploadSlackBytes } : {}),
    ...(spec.max_body_bytes === undefined ? {} : { bodyLimit: spec.max_body_bytes }),
    // It returns nothing: the framework would chain a promise through several more.
    handler: (request, reply) => {
      void serve(route, request, reply, options, limitMs)
    },
  })
  return { route, options, limit_ms: limitMs }
}

/** What is different for a route on a handle of its own. It is chosen here, before keys and dry runs come in. */
function choiceOf({ database: name }: AnyRoute, { ctx }: MountOptions): Partial<MountOptions> {
  if (name === undefined) return {}
  const on = partsOn(ctx, name)
  const works = {
    cancel(life: Life) {
      ctx.database.cancel(life)
      on.database.cancel(life)
    },
  }
  return { on, works, deadline_ms: handleOf(ctx, name).deadline_ms }
}

async function serve(
  route: MountedRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
  limitMs: number,
): Promise<void> {
  const life = new Life(options.works ?? options.ctx.database)
  request.held.life = life
  const deadline = options.deadlines.begin(limitMs, life, (reason) =>
    refuse(request, reply, inWordsOf(route.spec, reason)),
  )
  try {
    const done = await withBodyLimit(route.spec, request, options.body_limit_bytes, (limitBytes) =>
      perform(
        route,
        request,
        reply,
        options,
        new Wire(route, request, reply, options, life, deadline, limitBytes),
      ),
    )
    const sending = sendAnswer(route, done, request, reply, options)
    if (sending) await sending
  } catch (error) {
    if (!life.ended || !reply.sent) refuse(request, reply, error)
  } finally {
    options.deadlines.end(deadline)
  }
}

/** By way of the error handler. Nobody else would catch what is thrown here. */
function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  if (reply.sent) {
    request.log.error({ error }, 'unexpected error after the response')
    return
  }
  try {
    reply.send(error instanceof Error ? error : new Error(String(error)))
  } catch (failure) {
    request.log.error({ error: failure }, 'the response could not be sent')
    reply.raw.destroy()
  }
}
