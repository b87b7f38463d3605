import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Guard } from '#platform/http/limits/guards.ts'
import { createIsProxy } from '#platform/http/limits/trusted-proxies.ts'
import { CallerGone } from '#platform/outage/outage.ts'

/** Since the last new connection. */
const quietMs = 100
const limitMs = 1500
const repeatable: readonly string[] = ['GET', 'HEAD']

/**
 * The last moments before a process stops listening. That resets connections which the kernel has made and nobody has accepted,
 * and a POST that was sent on one is repeated by nobody. A proxy without health checks, such as nginx, sends requests until then.
 * So proxies are hung up on when they ask for something that they repeat elsewhere: they take this process for away, nothing
 * comes any more, and then it stops listening. One that has noticed before by `/ready` loses nothing and waits for a tenth of a
 * second.
 */
export class Departure implements Guard {
  readonly #isProxy: ((address: string | undefined) => boolean) | undefined
  #lastMs = 0
  #isLeaving = false

  constructor(app: FastifyInstance, trustProxy: readonly string[]) {
    if (trustProxy.length === 0) return
    this.#isProxy = createIsProxy(trustProxy)
    app.server.on('connection', () => {
      if (this.#isLeaving) this.#lastMs = performance.now()
    })
  }

  enter({ method, raw }: FastifyRequest): Error | undefined {
    if (!this.#isLeaving || !repeatable.includes(method) || !this.#isProxy?.(raw.socket.remoteAddress))
      return undefined
    raw.socket.destroy()
    return new CallerGone()
  }

  /** Returns when no proxy connects any more. */
  async untilQuiet(): Promise<void> {
    if (!this.#isProxy) return
    this.#isLeaving = true
    const beganMs = performance.now()
    this.#lastMs = beganMs
    for (let now = beganMs; now - this.#lastMs < quietMs && now - beganMs < limitMs; now = performance.now())
      await sleep(quietMs / 5)
  }
}
