import type { DatabaseHandle } from '@crewhall/contracts/database-handles.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Life } from '#platform/bulkheads/life.ts'
import { clientNetwork } from '#platform/http/limits/client-network.ts'
import type { PlainRoute } from '#platform/http/plain-route.ts'
import { CallerGone } from '#platform/outage/outage.ts'

/** What a request holds of the process until it is over. */
export interface Held {
  /** The contract it was sent to; undefined where there is none. */
  readonly spec: AnyRoute | undefined
  /** A route that has none. */
  readonly plain: PlainRoute | undefined
  /** Where it comes from, as limits count it. */
  readonly network: string
  /** The handle that it is counted on; it changes when a request turns out to stand for one to another route. */
  handle: DatabaseHandle | undefined
  /** Whether it counts as one of the open requests of its network. */
  is_open: boolean
  is_in_flight: boolean
  life: Life | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    held: Held
  }
}

/** Stands before every handler. */
export interface Guard {
  /** Lets a request on, or returns why not. */
  enter(request: FastifyRequest, reply: FastifyReply): Error | undefined
  /** Called when the response is out, or the caller has hung up before it. */
  leave?(held: Held): void
}

/**
 * What every request passes, in this order. One hook, one look at its route and one listener for its end: each of these
 * costs more than what a guard does.
 */
export function registerGuards(app: FastifyInstance, guards: readonly Guard[]): void {
  const leaving = guards.filter((guard) => guard.leave)
  app.decorateRequest('held', null as unknown as Held)
  app.addHook('onRequest', (request, reply, done) => {
    // A getter that builds a large object.
    const { spec, plain } = request.routeOptions.config
    const held: Held = {
      spec,
      plain,
      network: clientNetwork(request.ip),
      handle: spec?.database,
      is_open: false,
      is_in_flight: false,
      life: undefined,
    }
    request.held = held
    const { raw } = reply
    // It comes once, after the response or when the caller hangs up before it.
    raw.on('close', () => {
      for (const guard of leaving) guard.leave?.(held)
      // Closed before the response was out: nobody is there to read it.
      if (!raw.writableFinished) held.life?.end(new CallerGone())
    })
    for (const guard of guards) {
      const refused = guard.enter(request, reply)
      if (refused) return done(refused)
    }
    done()
  })
}
