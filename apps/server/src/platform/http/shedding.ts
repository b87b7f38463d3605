import type { ServerResponse } from 'node:http'
import { tooManyRequests } from '@crewhall/contracts/refusal.ts'
import rateLimit from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { Outage } from '#platform/outage/outage.ts'

export interface SheddingOptions {
  readonly max_in_flight: number
  readonly max_event_loop_delay_ms: number
  readonly rate_limit_per_minute: number
}

const sampleMs = 500

/**
 * A process that takes everything answers nothing. Beyond its limits it says so at once, with 503 and
 * Retry-After. Routes marked unlimited (health) are answered whatever the load (SYS-06).
 */
export async function registerShedding(
  app: FastifyInstance,
  options: SheddingOptions,
  metrics: Metrics,
): Promise<void> {
  const inFlight = new Set<ServerResponse>()
  metrics.watchInFlight(() => inFlight.size)
  // An answer that is still due when the process stops tells its caller not to use the connection again.
  app.addHook('preClose', (done) => {
    for (const raw of inFlight) raw.shouldKeepAlive = false
    done()
  })
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply
    inFlight.add(raw)
    // `close` comes once, after the answer or when the caller hangs up before it.
    raw.once('close', () => inFlight.delete(raw))
    if (inFlight.size <= options.max_in_flight || request.routeOptions.config.spec?.unlimited) return done()
    metrics.http_shed.inc({ reason: 'in_flight' })
    done(new Outage('service', 'overloaded'))
  })
  // Starting up blocks the process for a while. What is measured of that must not turn first callers away.
  let warm = false
  app.addHook('onListen', (done) => {
    setTimeout(() => {
      warm = true
    }, 2 * sampleMs).unref()
    done()
  })
  await app.register(underPressure, {
    maxEventLoopDelay: options.max_event_loop_delay_ms,
    sampleInterval: sampleMs,
    pressureHandler: (request) => {
      if (!warm || request.routeOptions.config.spec?.unlimited) return
      metrics.http_shed.inc({ reason: 'event_loop' })
      throw new Outage('service', 'overloaded')
    },
  })
  if (options.rate_limit_per_minute > 0) {
    await app.register(rateLimit, {
      max: options.rate_limit_per_minute,
      timeWindow: 60_000,
      allowList: (request) => request.routeOptions.config.spec?.unlimited === true,
      errorResponseBuilder: () => tooManyRequests(),
    })
  }
}
