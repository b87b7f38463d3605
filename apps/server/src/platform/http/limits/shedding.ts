import type { DatabaseHandle } from '@crewhall/contracts/database-handles.ts'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { bulkheads } from '#platform/bulkheads/bulkheads.ts'
import type { Aside } from '#platform/http/limits/deadlines.ts'
import type { HandleGuard } from '#platform/http/limits/handle-guard.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { Outage } from '#platform/outage/outage.ts'

export interface SheddingOptions {
  readonly max_in_flight: number
  readonly max_event_loop_delay_ms: number
  /** Answers that are open and wait for something to happen: no work, so not in flight. */
  idle(): number
}

export interface Shedding {
  readonly guard: HandleGuard
  /** A request that is waited for keeps no other of its handle from being answered. */
  asideOf(handle: DatabaseHandle | undefined): Aside
}

/** Requests under way by one handle. */
interface Counted {
  inFlight: number
  readonly most: number
}

const sampleMs = 500

/**
 * A process that takes everything answers nothing. Beyond its limits it says so at once, with 503 and
 * Retry-After. Routes marked unlimited (health) are answered whatever the load (SYS-06).
 */
export async function createShedding(
  app: FastifyInstance,
  options: SheddingOptions,
  metrics: Metrics,
): Promise<Shedding> {
  const counted = new Map<DatabaseHandle | undefined, Counted>()
  const countedBy = (handle: DatabaseHandle | undefined): Counted => {
    const known = counted.get(handle)
    if (known) return known
    const share = handle === undefined ? 1 : bulkheads.handles.share_of_requests
    const made = { inFlight: 0, most: Math.max(1, Math.floor(options.max_in_flight * share)) }
    counted.set(handle, made)
    return made
  }
  const main = countedBy(undefined)
  // Streams wait on the main handle.
  const isFull = (those: Counted) => those.inFlight - (those === main ? options.idle() : 0) > those.most
  metrics.watchInFlight(
    () => [...counted.values()].reduce((sum, { inFlight }) => sum + inFlight, 0) - options.idle(),
  )
  const shed = (reason: 'in_flight' | 'event_loop') => {
    metrics.http_shed.inc({ reason })
    return new Outage('service', 'overloaded')
  }
  const isLate = await watchEventLoop(app, options)
  const guard: HandleGuard = {
    enter({ held }) {
      const those = countedBy(held.handle)
      those.inFlight += 1
      held.is_in_flight = true
      if (held.spec?.unlimited) return undefined
      if (isFull(those)) return shed('in_flight')
      return isLate() ? shed('event_loop') : undefined
    },
    leave(held) {
      if (!held.is_in_flight) return
      held.is_in_flight = false
      countedBy(held.handle).inFlight -= 1
    },
  }
  const asideOf =
    (handle: DatabaseHandle | undefined): Aside =>
    async (meanwhile) => {
      const those = countedBy(handle)
      those.inFlight -= 1
      const result = await meanwhile().finally(() => {
        those.inFlight += 1
      })
      if (isFull(those)) throw shed('in_flight')
      return result
    }
  return { guard, asideOf }
}

async function watchEventLoop(app: FastifyInstance, options: SheddingOptions): Promise<() => boolean> {
  // Starting up blocks the process for a while. What is measured of that must not turn first callers away.
  let warm = false
  app.addHook('onListen', (done) => {
    setTimeout(() => {
      warm = true
    }, 2 * sampleMs).unref()
    done()
  })
  let isUnderPressure = () => false
  // In a scope without routes, because the plugin puts a hook on every request of its scope.
  await app.register(async (scope) => {
    await scope.register(underPressure, {
      maxEventLoopDelay: options.max_event_loop_delay_ms,
      sampleInterval: sampleMs,
    })
    // No sample in the interval, as after a pause of the machine, counts as infinite: unknown is not overloaded.
    const isKnown = () => Number.isFinite(scope.memoryUsage().eventLoopDelay)
    isUnderPressure = () => scope.isUnderPressure() && isKnown()
  })
  return () => warm && isUnderPressure()
}
