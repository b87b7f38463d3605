import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Life } from '#platform/bulkheads/life.ts'
import { systemCtx } from '#platform/ctx/ctx.ts'
import type { Inside } from '#platform/http/inside.ts'
import type { Aside, Deadline } from '#platform/http/limits/deadlines.ts'
import type { PlainRequest, PlainRoute } from '#platform/http/plain-route.ts'
import { jsonIn, readBytes } from '#platform/http/request/json-body.ts'
import { withBodyLimit } from '#platform/http/request/long-bodies.ts'
import { fastifyPath } from '#platform/http/request/paths.ts'
import { sendPlain } from '#platform/http/response/errors.ts'
import { CallsInside, type InsideOptions } from '#platform/http/serving/inside-calls.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    plain?: PlainRoute
  }
}

interface PlainOptions extends InsideOptions {
  readonly deadline_ms: number
  readonly body_limit_bytes: number
  /** Does something without being counted as in flight. */
  readonly unshed: Aside
}

/** Routes with a contract are mounted by `mount`. */
export function mountPlain(app: FastifyInstance, route: PlainRoute, options: PlainOptions): void {
  if (route.path.startsWith('/api/'))
    throw new Error(`${route.id} needs a contract: it is a route of the API`)
  app.route({
    method: route.method,
    url: fastifyPath(route.path),
    config: { plain: route },
    ...(route.max_body_bytes === undefined ? {} : { bodyLimit: route.max_body_bytes }),
    handler: (request, reply) => {
      void serve(route, request, reply, options)
    },
  })
}

async function serve(
  route: PlainRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  options: PlainOptions,
): Promise<void> {
  const { ctx: parts, deadlines } = options
  const life = new Life(parts.database)
  request.held.life = life
  const refuse = (error: unknown): void => {
    if (!reply.sent) reply.send(error instanceof Error ? error : new Error(String(error)))
  }
  const deadline = deadlines.begin(options.deadline_ms, life, refuse)
  try {
    const ctx = systemCtx(parts, request.log, { kind: 'nobody' }, request.id, life)
    const answer = await withBodyLimit(route, request, options.body_limit_bytes, async (limitBytes) =>
      route.run(ctx, new Plain(route, request, reply, options, { life, deadline, limitBytes })),
    )
    if (!reply.sent) sendPlain(reply, answer)
  } catch (error) {
    refuse(error)
  } finally {
    deadlines.end(deadline)
  }
}

interface PlainOwn {
  readonly life: Life
  readonly deadline: Deadline
  readonly limitBytes: number
}

/** Most routes need little of it, so nothing is made before somebody asks. */
class Plain implements PlainRequest {
  readonly params: Readonly<Record<string, string>>
  readonly headers: PlainRequest['headers']
  readonly #route: PlainRoute
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #options: PlainOptions
  readonly #own: PlainOwn
  #read: Promise<Buffer> | undefined

  constructor(
    route: PlainRoute,
    request: FastifyRequest,
    reply: FastifyReply,
    options: PlainOptions,
    own: PlainOwn,
  ) {
    this.params = request.params as Readonly<Record<string, string>>
    this.headers = request.headers
    this.#route = route
    this.#request = request
    this.#reply = reply
    this.#options = options
    this.#own = own
  }

  get query(): URLSearchParams {
    const { url } = this.#request
    const at = url.indexOf('?')
    return new URLSearchParams(at === -1 ? '' : url.slice(at))
  }

  get network(): string {
    return this.#request.held.network
  }

  bytes(): Promise<Buffer> {
    const { limitBytes, deadline } = this.#own
    this.#read ??= deadline.aside(() =>
      this.#options.unshed(() => readBytes(undefined, this.#request, this.#reply, limitBytes)),
    )
    return this.#read
  }

  async json(): Promise<unknown> {
    const bytes = await this.bytes()
    return bytes.length === 0 ? undefined : jsonIn(bytes)
  }

  gone(): AbortSignal {
    return this.#own.life.signal()
  }

  aside<T>(meanwhile: () => Promise<T>): Promise<T> {
    return this.#own.deadline.aside(meanwhile)
  }

  get inside(): Inside {
    return new CallsInside(this.#route.id, this.#request, this.#reply, this.#options, this.#own)
  }
}
