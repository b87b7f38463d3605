import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { LazyLog } from '#platform/log/lazy-log.ts'
import type { RequestFacts } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { Series } from '#platform/metrics/series-histogram.ts'

const givenId = /^[A-Za-z0-9._-]{8,64}$/

/** A caller's own id is kept when it is harmless to print, so that one id follows a request through a system. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && givenId.test(given) ? given : randomUUID()
}

/** One line per request, written when it is over. The query string stays out: it may hold a token. */
export function registerRequestLog(
  app: FastifyInstance,
  write: (facts: RequestFacts) => void,
  metrics: Metrics,
): void {
  const observe = timesOf(metrics)
  app.setChildLoggerFactory(
    (logger, bindings, options) =>
      new LazyLog(() => logger.child(bindings, options)) as unknown as FastifyBaseLogger,
  )
  app.addHook('onResponse', (request, reply, done) => {
    const { id: request_id, method, url, held } = request
    const route = held?.spec?.id ?? held?.plain?.id ?? 'none'
    const status = reply.statusCode
    const ms = reply.elapsedTime
    observe(route, method, status, ms / 1000)
    const query = url.indexOf('?')
    const path = query === -1 ? url : url.slice(0, query)
    write({ request_id, route, method, path, status, ms: Math.round(ms * 10) / 10 })
    done()
  })
}

/** Making the key of a series costs less than its labels. */
function timesOf(metrics: Metrics) {
  const series = new Map<string, Series>()
  return (route: string, method: string, status: number, seconds: number): void => {
    const key = `${route} ${method} ${status}`
    let found = series.get(key)
    if (!found) {
      found = metrics.http_seconds.labels({ route, method, status })
      series.set(key, found)
    }
    found.observe(seconds)
  }
}
