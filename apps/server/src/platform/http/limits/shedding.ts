import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import type { Aside } from '#platform/http/limits/deadlines.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { Outage } from '#platform/outage/outage.ts'

export interface SheddingOptions {
  readonly max_in_flight: number
  readonly max_event_loop_delay_ms: number
  /** Answers that are open and wait for something to happen: no work, so not in flight. */
  idle(): number
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
): Promise<Aside> {
  let inFlight = 0
  const working = () => inFlight - options.idle()
  metrics.watchInFlight(working)
  app.addHook('onRequest', (request, reply, done) => {
    inFlight += 1
    // `close` comes once, after the answer or when the caller hangs up before it.
    reply.raw.once('close', () => {
      inFlight -= 1
    })
    if (working() <= options.max_in_flight || request.routeOptions.config.spec?.unlimited) return done()
    done(shed())
  })
  const shed = () => {
    metrics.http_shed.inc({ reason: 'in_flight' })
    return new Outage('service', 'overloaded')
  }
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
  // Whoever is waited for keeps nobody else from being answered.
  return async (meanwhile) => {
    inFlight -= 1
    const result = await meanwhile().finally(() => {
      inFlight += 1
    })
    if (working() > options.max_in_flight) throw shed()
    return result
  }
}
