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

/**
 * A process that takes everything answers nothing. Beyond its limits it says so at once, with 503 and
 * Retry-After. Routes marked unlimited (health) are answered whatever the load (SYS-06).
 */
export async function registerShedding(
  app: FastifyInstance,
  options: SheddingOptions,
  metrics: Metrics,
): Promise<void> {
  let inFlight = 0
  metrics.watchInFlight(() => inFlight)
  app.addHook('onRequest', (request, reply, done) => {
    inFlight += 1
    // `close` comes once, after the answer or when the caller hangs up before it.
    reply.raw.once('close', () => {
      inFlight -= 1
    })
    if (inFlight <= options.max_in_flight || request.routeOptions.config.spec?.unlimited) return done()
    metrics.http_shed.inc({ reason: 'in_flight' })
    done(new Outage('service', 'overloaded'))
  })
  await app.register(underPressure, {
    maxEventLoopDelay: options.max_event_loop_delay_ms,
    sampleInterval: 500,
    pressureHandler: (request) => {
      if (request.routeOptions.config.spec?.unlimited) return
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
