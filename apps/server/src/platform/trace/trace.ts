import {
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { FastifyInstance } from 'fastify'

export interface Tracing {
  readonly tracer: Tracer | undefined
  close(): Promise<void>
}

/** Tracing costs nothing unless an endpoint is configured: the SDK is not even loaded. */
export async function createTracing(endpoint: string | undefined, serviceName: string): Promise<Tracing> {
  if (!endpoint) return { tracer: undefined, close: async () => {} }
  const { startSdk } = await import('#platform/trace/sdk.ts')
  const close = startSdk(endpoint, serviceName)
  return { tracer: trace.getTracer('crewhall'), close }
}

const spans = new WeakMap<object, Span>()

/** A span per request, named by contract, as a child of the caller's when it sends `traceparent`. */
export function registerTracing(app: FastifyInstance, { tracer }: Tracing): void {
  if (!tracer) return
  app.addHook('onRequest', (request, _, done) => {
    const parent = propagation.extract(context.active(), request.headers)
    const { spec, plain } = request.routeOptions.config
    const route = spec?.id ?? plain?.id ?? 'none'
    const attributes = { 'http.request.method': request.method, 'crewhall.request_id': request.id }
    const span = tracer.startSpan(route, { kind: SpanKind.SERVER, attributes }, parent)
    spans.set(request, span)
    context.with(trace.setSpan(parent, span), done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request)
    span?.setAttribute('http.response.status_code', reply.statusCode)
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
    done()
  })
}

/** Runs work inside a span of its own; without a tracer it is a plain call. */
export async function spanned<T>({ tracer }: Tracing, name: string, work: () => Promise<T>): Promise<T> {
  if (!tracer) return work()
  return tracer.startActiveSpan(name, async (span) => {
    try {
      return await work()
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}
