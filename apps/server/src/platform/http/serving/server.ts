import type { Socket } from 'node:net'
import { notFound, refusal } from '@crewhall/contracts/refusal.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import Fastify, { type FastifyInstance, type FastifyReply, LogController } from 'fastify'
import type { Logger } from 'pino'
import { Bound } from '#platform/bulkheads/bound.ts'
import { bulkheads } from '#platform/bulkheads/bulkheads.ts'
import { registerDocs } from '#platform/http/docs.ts'
import type { MountedRoute } from '#platform/http/handle.ts'
import { ClientBounds, type ClientBoundsOptions } from '#platform/http/limits/client-bounds.ts'
import { Deadlines } from '#platform/http/limits/deadlines.ts'
import { type Guard, registerGuards } from '#platform/http/limits/guards.ts'
import { type RateLimitOptions, RateLimits } from '#platform/http/limits/rate-limits.ts'
import { createShedding, type SheddingOptions } from '#platform/http/limits/shedding.ts'
import type { PlainRoute } from '#platform/http/plain-route.ts'
import { registerExpectedBodies } from '#platform/http/request/expected-bodies.ts'
import { coverUnknownType, leaveBodiesUnread } from '#platform/http/request/json-body.ts'
import { registerMultipart } from '#platform/http/request/multipart.ts'
import { plainColons } from '#platform/http/request/paths.ts'
import { registerUnreadBodies } from '#platform/http/request/unread-bodies.ts'
import { registerErrors, send } from '#platform/http/response/errors.ts'
import { EventStreams, type EventStreamsOptions } from '#platform/http/response/event-streams.ts'
import { Departure } from '#platform/http/serving/departure.ts'
import { type Mounted, type MountOptions, mount } from '#platform/http/serving/mount.ts'
import { mountPlain } from '#platform/http/serving/mount-plain.ts'
import { registerRequestLog, requestId } from '#platform/http/serving/request-log.ts'
import { unknownRoutes } from '#platform/http/serving/unknown-routes.ts'
import { requestLines } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { registerTracing, type Tracing } from '#platform/trace/trace.ts'

export interface HttpOptions
  extends Omit<
      MountOptions,
      'deadlines' | 'isClosing' | 'rate_limits' | 'streams' | 'unshed' | 'bounds' | 'uploads'
    >,
    ClientBoundsOptions,
    Omit<SheddingOptions, 'idle'>,
    EventStreamsOptions,
    RateLimitOptions {
  /**
   * Told to stop, and still taking connections. Those that are used meanwhile are not kept, so that none is left that a proxy
   * could send a request on in the instant that it is closed.
   */
  isDraining?(): boolean
  readonly log: Logger
  readonly metrics: Metrics
  readonly tracing: Tracing
  /** For the headers and the body of a request together. */
  readonly request_timeout_ms: number
  /** For a line on which nothing moves, in either direction. */
  readonly stall_timeout_ms: number
  readonly version: string
  /** Where people reach the service. */
  readonly public_url: string
  readonly routes: readonly MountedRoute[]
  /** Those outside of `/api/v1`. */
  readonly plain_routes: readonly PlainRoute[]
  /** Every contract of the product, for the document; the mounted ones in tests. */
  readonly documented: readonly AnyRoute[]
}

export async function createHttp(options: HttpOptions): Promise<FastifyInstance> {
  const headers = standardHeaders(options.public_url)
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: requestId,
    rewriteUrl: ({ url }) => plainColons(url ?? '/'),
    bodyLimit: options.body_limit_bytes,
    trustProxy: options.trust_proxy.length > 0 ? [...options.trust_proxy] : false,
    // A restarting process answers what reaches it on open connections and closes them, instead of refusing.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    http: {
      requestTimeout: options.request_timeout_ms,
      headersTimeout: options.request_timeout_ms,
      connectionsCheckingInterval: 500,
      // Node would refuse a request without one with an empty answer.
      requireHostHeader: false,
      // Most requests have no body: no stream is set up for one.
      optimizeEmptyRequests: true,
    },
    requestTimeout: options.request_timeout_ms,
    connectionTimeout: options.stall_timeout_ms,
    keepAliveTimeout: 65_000,
    clientErrorHandler: answerUnparsable(headers),
    // A path that cannot be decoded names nothing.
    frameworkErrors: (_error, _request, reply: FastifyReply) => {
      void send(reply.headers(headers), notFound())
    },
    // As long as a request line can be: what a name may look like is for its route to say.
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 20_000 },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
  }) as unknown as FastifyInstance
  const streams = new EventStreams(options)
  options.metrics.watchStreams(() => streams.count)
  const bounds = new ClientBounds(options, options.metrics)
  bounds.register(app)
  const departure = new Departure(app, options.trust_proxy)
  const shedding = await createShedding(app, { ...options, idle: () => streams.count }, options.metrics)
  const rate_limits = new RateLimits(options)
  const extra = registerDocs(app, options.documented, options.version)
  // Before the guards: what they refuse is traced as well.
  registerTracing(app, options.tracing)
  registerGuards(app, [
    beginning(headers),
    departure,
    { enter: coverUnknownType },
    bounds,
    shedding.guard,
    rate_limits.guard((request) => options.authenticate?.knows?.(request) ?? false),
    unknownRoutes([...options.routes.map(({ spec }) => spec), ...options.plain_routes, ...extra]),
  ])
  const writeLine = requestLines(options.log)
  registerRequestLog(app, writeLine, options.metrics)
  registerErrors(app, options.metrics)
  leaveBodiesUnread(app)
  registerExpectedBodies(app)
  registerUnreadBodies(app)
  app.server.on('timeout', (socket) => {
    options.log.info({ address: socket.remoteAddress }, 'a line stood still and was closed')
    socket.destroy()
  })
  let closing = false
  const isClosing = () => closing || options.isDraining?.() === true
  app.addHook('preClose', async () => {
    closing = true
    streams.close()
    await departure.untilQuiet()
  })
  const deadlines = new Deadlines()
  app.addHook('onClose', async () => deadlines.close())
  const uploads = new Bound(bulkheads.uploads)
  const how = { ...options, deadlines, rate_limits, streams, bounds, uploads, isClosing }
  const mounted = new Map<AnyRoute, Mounted>()
  const mountIn = (scope: FastifyInstance, route: MountedRoute) =>
    mounted.set(route.spec, mount(scope, route, { ...how, unshed: shedding.asideOf(route.spec.database) }))
  const inside = { mounted, handle_guards: [bounds, shedding.guard], writeLine }
  const unshed = shedding.asideOf(undefined)
  for (const route of options.plain_routes) mountPlain(app, route, { ...how, ...inside, unshed })
  const isUpload = ({ spec }: MountedRoute) => spec.upload !== undefined
  for (const route of options.routes) if (!isUpload(route)) mountIn(app, route)
  // In a scope of their own, because reading forms puts hooks on every request of its scope.
  await app.register(async (scope) => {
    await registerMultipart(scope)
    for (const route of options.routes.filter(isUpload)) mountIn(scope, route)
  })
  return app
}

/** Headers are set before a handler runs, so that a route may choose its own. */
const beginning = (headers: Readonly<Record<string, string>>): Guard => ({
  enter({ id, raw }, reply) {
    reply.headers(headers).header('x-request-id', id)
    return raw.httpVersion === '1.1' && raw.headers.host === undefined ? malformed() : undefined
  },
})

const malformed = refusal(400, 'Malformed HTTP request')

/** HTTPS is demanded of browsers only where the service is reached by it, or nobody could get in any more. */
const standardHeaders = (publicUrl: string): Readonly<Record<string, string>> => ({
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
})

/** What cannot be parsed as HTTP never becomes a request; it still gets a `detail`. */
const answerUnparsable = (headers: Readonly<Record<string, string>>) => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return (error: Error & { code?: string }, socket: Socket): void => answer(error, socket, lines.join(''))
}

function answer(error: Error & { code?: string }, socket: Socket, headers: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, detail] = unparsable[error.code ?? ''] ?? ['400 Bad Request', malformed.text]
  const body = JSON.stringify({ detail })
  // Closed on our side alone it would stay open for as long as the other side likes.
  const close = () => socket.destroy()
  socket.end(
    `HTTP/1.1 ${status}\r\n${headers}Content-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    close,
  )
}

const unparsable: Record<string, readonly [string, string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'Request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
}
