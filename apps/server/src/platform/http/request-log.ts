import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from '#platform/metrics/metrics.ts'

const givenId = /^[A-Za-z0-9._-]{8,64}$/

/** A caller's own id is kept when it is harmless to print, so that one id follows a request through a system. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && givenId.test(given) ? given : randomUUID()
}

/** One line per request, written when it is over. The query string stays out: it may hold a token. */
export function registerRequestLog(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.setHeader('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.config.spec?.id ?? 'none'
    const status = reply.statusCode
    metrics.http_seconds.observe({ route, method: request.method, status }, reply.elapsedTime / 1000)
    const path = request.url.split('?', 1)[0]
    request.log.info({
      route,
      method: request.method,
      path,
      status,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    })
    done()
  })
}
