import { bulkheads } from '#platform/bulkheads/bulkheads.ts'
import { FairPlaces } from '#platform/bulkheads/fair-places.ts'
import { type CtxParts, systemCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import { withoutPerson } from '#platform/erasure/without-person.ts'
import type { WakeUps } from '#platform/events/wake-ups.ts'
import { Dispatcher } from '#platform/jobs/dispatcher.ts'
import { Loop } from '#platform/jobs/loop.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import type { Hold } from '#platform/timeline/hold.ts'
import type { Config } from '../../config.ts'
import { deliveryRoutes } from './deliveries/deliveries.routes.ts'
import { endpointJobs } from './endpoints/endpoints.jobs.ts'
import { endpointRoutes } from './endpoints/endpoints.routes.ts'
import { erasePersonFromDeliveries, webhookRowsOfBrand } from './erasure/erase-deliveries.service.ts'
import { createOutbox } from './outbox/outbox.service.ts'
import { sendingJobs } from './sending/sending.jobs.ts'
import { oldestDueSeconds } from './sending/upkeep.service.ts'
import { watchEndpoints } from './sending/watch.service.ts'

interface Deps {
  readonly ctx: CtxParts
  readonly log: Log
  readonly metrics: Metrics
  readonly cursors: Cursors
  readonly outbound: Outbound
  readonly secret_box: SecretBox
  readonly hold: Hold
  readonly config: Pick<Config, 'RETENTION_DELIVERIES_DAYS'>
  /** Tells workers that something was queued. */
  readonly wake_ups: WakeUps
}

/** Where a wake-up got lost. */
const lookMs = 1000
/** A look costs two statements, and a busy workspace queues hundreds of deliveries a second. */
const pauseMs = 100
const topic = 'webhooks'

export function createWebhooks({
  ctx,
  log,
  metrics,
  cursors,
  outbound,
  secret_box,
  hold,
  config,
  wake_ups,
}: Deps): Module {
  const dispatcher = new Dispatcher(new FairPlaces(bulkheads.senders))
  const system = systemCtx(ctx, log, { kind: 'system', name: 'webhooks.send' })
  const takeBack = new AbortController()
  const look = () =>
    watchEndpoints(system, { outbound, secret_box, dispatcher, hold, taken_back: takeBack.signal })
  const loop = new Loop({ name: 'webhooks.send', every_ms: lookMs, pause_ms: pauseMs, look, log })
  let forget = () => {}
  const drain = async (limitMs: number) => {
    forget()
    await loop.stop()
    // Whoever has read a request that is taken back gets it again from the next worker.
    const late = setTimeout(() => takeBack.abort(), limitMs)
    await dispatcher.close()
    clearTimeout(late)
  }
  return {
    routes: [...endpointRoutes({ outbound, secret_box }), ...deliveryRoutes(cursors)],
    jobs: [...endpointJobs(secret_box), ...sendingJobs(config.RETENTION_DELIVERIES_DAYS)],
    listeners: [createOutbox(() => wake_ups.tell(topic))],
    fills: [
      fill(erasureParts, {
        part: 'webhooks',
        person: erasePersonFromDeliveries(withoutPerson),
        brand: emptying(...webhookRowsOfBrand),
      }),
    ],
    start() {
      metrics.watchOldest('delivery', () => oldestDueSeconds(system))
      loop.start()
      forget = wake_ups.listen([topic], () => loop.wake())
    },
    drain,
    close: () => drain(0),
  }
}
