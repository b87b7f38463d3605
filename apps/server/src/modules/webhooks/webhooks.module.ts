import type { EventListener } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import type { MountedRoute } from '#platform/http/handle.ts'
import type { MountedJob } from '#platform/jobs/job-handler.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { deliveryRoutes } from './deliveries/deliveries.routes.ts'
import { endpointJobs } from './endpoints/endpoints.jobs.ts'
import { endpointRoutes } from './endpoints/endpoints.routes.ts'
import { outbox } from './outbox/outbox.service.ts'
import { Dispatcher } from './sending/dispatcher.ts'
import { sendingJobs } from './sending/sending.jobs.ts'

interface Deps {
  readonly cursors: Cursors
  readonly outbound: Outbound
  readonly secret_box: SecretBox
  /** Told of everything that happens on boards. */
  readonly listeners: EventListener[]
}

/** Receivers that one worker process talks to at a time. */
const places = 64

export function createWebhooks({ cursors, outbound, secret_box, listeners }: Deps): {
  routes: readonly MountedRoute[]
  jobs: readonly MountedJob[]
  close(): Promise<void>
} {
  const dispatcher = new Dispatcher(places)
  listeners.push(outbox)
  return {
    routes: [...endpointRoutes({ outbound, secret_box }), ...deliveryRoutes(cursors)],
    jobs: [...endpointJobs(secret_box), ...sendingJobs({ outbound, secret_box, dispatcher })],
    close: () => dispatcher.close(),
  }
}
