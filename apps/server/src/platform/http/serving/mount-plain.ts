import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Life } from '#platform/bulkheads/life.ts'
import { type CtxParts, systemCtx } from '#platform/ctx/ctx.ts'
import type { Deadlines } from '#platform/http/limits/deadlines.ts'
import type { PlainRoute } from '#platform/http/plain-route.ts'
import { sendPlain } from '#platform/http/response/errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    plain?: PlainRoute
  }
}

interface PlainOptions {
  readonly ctx: CtxParts
  readonly deadlines: Deadlines
  readonly deadline_ms: number
}

/** Routes with a contract are mounted by `mount`. */
export function mountPlain(app: FastifyInstance, route: PlainRoute, options: PlainOptions): void {
  if (route.path.startsWith('/api/'))
    throw new Error(`${route.id} needs a contract: it is a route of the API`)
  app.route({
    method: route.method,
    url: route.path,
    config: { plain: route },
    handler: (request, reply) => {
      void serve(route, request, reply, options)
    },
  })
}

async function serve(
  route: PlainRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  { ctx: parts, deadlines, deadline_ms }: PlainOptions,
): Promise<void> {
  const life = new Life(parts.database)
  request.held.life = life
  const refuse = (error: unknown): void => {
    if (!reply.sent) reply.send(error instanceof Error ? error : new Error(String(error)))
  }
  const deadline = deadlines.begin(deadline_ms, life, refuse)
  try {
    const ctx = systemCtx(parts, request.log, { kind: 'nobody' }, request.id, life)
    const at = request.url.indexOf('?')
    const query = new URLSearchParams(at === -1 ? '' : request.url.slice(at))
    const answer = await route.run(ctx, { query })
    if (!reply.sent) sendPlain(reply, answer)
  } catch (error) {
    refuse(error)
  } finally {
    deadlines.end(deadline)
  }
}
