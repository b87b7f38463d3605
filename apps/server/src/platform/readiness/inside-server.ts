import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { Readiness } from '#platform/readiness/readiness.ts'
import type { Config } from '../../config.ts'

interface Deps {
  readonly metrics: Metrics
  readonly readiness: Readiness
  readonly config: Pick<Config, 'METRICS_HOST' | 'METRICS_PORT'>
}

type InsideRoute = (response: ServerResponse) => Promise<void> | void

/**
 * Served on its own port, which operators keep private: it reveals more than outsiders should know. It is up before anything
 * waits for the database, so that a process that waits is not taken for a dead one.
 */
export async function serveInside(
  { metrics, readiness, config }: Deps,
  offset: number,
): Promise<Server | undefined> {
  if (config.METRICS_PORT === 0) return undefined
  const routes = new Map<string | undefined, InsideRoute>([
    [
      '/metrics',
      async (response) => {
        const text = await metrics.registry.metrics()
        response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text)
      },
    ],
    // Says that the event loop turns, and nothing else: a restart mends no database.
    ['/live', (response) => answer(response, 200, { live: true })],
    [
      '/ready',
      async (response) => {
        const reason = await readiness.check()
        if (reason === undefined) answer(response, 200, { ready: true })
        else answer(response, 503, { ready: false, reason })
      },
    ],
  ])
  const server = createServer(async (request, response) => {
    const route = routes.get(request.url)
    try {
      if (route) await route(response)
      else answer(response, 404, { detail: 'Not found' })
    } catch {
      if (!response.headersSent) answer(response, 500, { detail: 'Internal error' })
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.METRICS_PORT + offset, config.METRICS_HOST, resolve)
  })
  return server
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
