import type { Socket } from 'node:net'
import { notFound } from '@crewhall/contracts/refusal.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import Fastify, { type FastifyInstance, type FastifyReply, LogController } from 'fastify'
import type { Logger } from 'pino'
import { type AllowanceOptions, Allowances } from '#platform/http/allowances.ts'
import { ClientBounds, type ClientBoundsOptions } from '#platform/http/client-bounds.ts'
import { Deadlines } from '#platform/http/deadlines.ts'
import { registerDocs } from '#platform/http/docs.ts'
import { registerErrors, send } from '#platform/http/errors.ts'
import { EventStreams, type EventStreamsOptions } from '#platform/http/event-streams.ts'
import { registerExpectedBodies } from '#platform/http/expected-bodies.ts'
import type { MountedRoute } from '#platform/http/handle.ts'
import { leaveBodiesUnread } from '#platform/http/json-body.ts'
import { type MountOptions, mount } from '#platform/http/mount.ts'
import { registerMultipart } from '#platform/http/multipart.ts'
import { registerRequestLog, requestId } from '#platform/http/request-log.ts'
import { registerShedding, type SheddingOptions } from '#platform/http/shedding.ts'
import { registerUnknownRoutes } from '#platform/http/unknown-routes.ts'
import { registerUnreadBodies } from '#platform/http/unread-bodies.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { registerTracing, type Tracing } from '#platform/trace/trace.ts'

export interface HttpOptions
  extends Omit<MountOptions, 'deadlines' | 'isClosing' | 'allowances' | 'streams' | 'unshed' | 'bounds'>,
    ClientBoundsOptions,
    Omit<SheddingOptions, 'idle'>,
    EventStreamsOptions,
    AllowanceOptions {
  readonly log: Logger
  readonly metrics: Metrics
  readonly tracing: Tracing
  /** For the headers and the body of a request together. */
  readonly request_timeout_ms: number
  /** For a line on which nothing moves, in either direction. */
  readonly stall_timeout_ms: number
  readonly version: string
  readonly routes: readonly MountedRoute[]
  /** Every contract of the product, for the document; the mounted ones in tests. */
  readonly documented: readonly AnyRoute[]
}

export async function createHttp(options: HttpOptions): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: requestId,
    bodyLimit: options.body_limit_bytes,
    trustProxy: options.trust_proxy.length > 0 ? [...options.trust_proxy] : false,
    // A restarting process answers what reaches it on open connections and closes them, instead of refusing.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    http: {
      requestTimeout: options.request_timeout_ms,
      headersTimeout: options.request_timeout_ms,
      connectionsCheckingInterval: 500,
    },
    requestTimeout: options.request_timeout_ms,
    connectionTimeout: options.stall_timeout_ms,
    keepAliveTimeout: 65_000,
    clientErrorHandler: answerUnparsable,
    // A path that cannot be decoded names nothing.
    frameworkErrors: (_error, _request, reply: FastifyReply) => {
      void send(reply, notFound())
    },
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 500 },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
  }) as unknown as FastifyInstance
  registerRequestLog(app, options.metrics)
  registerTracing(app, options.tracing)
  registerErrors(app, options.metrics)
  leaveBodiesUnread(app)
  registerExpectedBodies(app)
  registerUnreadBodies(app)
  await registerMultipart(app)
  const streams = new EventStreams(options)
  options.metrics.watchStreams(() => streams.count)
  const bounds = new ClientBounds(options, options.metrics)
  bounds.register(app)
  app.server.on('timeout', (socket) => {
    options.log.info({ address: socket.remoteAddress }, 'a line stood still and was closed')
    socket.destroy()
  })
  const unshed = await registerShedding(app, { ...options, idle: () => streams.count }, options.metrics)
  const allowances = new Allowances(options)
  allowances.register(app)
  let closing = false
  app.addHook('preClose', (done) => {
    closing = true
    streams.close()
    done()
  })
  // Set before a handler runs, so that a route may choose its own.
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(standardHeaders)
    done()
  })
  const deadlines = new Deadlines()
  app.addHook('onClose', async () => deadlines.close())
  const how = { ...options, deadlines, allowances, streams, bounds, unshed, isClosing: () => closing }
  for (const route of options.routes) mount(app, route, how)
  const extra = await registerDocs(app, options.documented, options.version)
  registerUnknownRoutes(app, [...options.routes.map(({ spec }) => spec), ...extra])
  return app
}

const standardHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

/** What cannot be parsed as HTTP never becomes a request; it still gets a `detail`. */
function answerUnparsable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, detail] = unparsable[error.code ?? ''] ?? ['400 Bad Request', 'Malformed HTTP request']
  const body = JSON.stringify({ detail })
  // Closed on our side alone it would stay open for as long as the other side likes.
  const close = () => socket.destroy()
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    close,
  )
}

const unparsable: Record<string, readonly [string, string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'Request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
}
