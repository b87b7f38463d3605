import type { Socket } from 'node:net'
import { Refusal, tooManyAtOnce } from '@crewhall/contracts/refusal.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { bulkheads } from '#platform/bulkheads/bulkheads.ts'
import { clientNetwork } from '#platform/http/limits/client-network.ts'
import type { Held } from '#platform/http/limits/guards.ts'
import type { HandleGuard } from '#platform/http/limits/handle-guard.ts'
import { createIsProxy } from '#platform/http/limits/trusted-proxies.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'

export interface ClientBoundsOptions {
  /** Proxies speak for many clients, so their connections are not counted as one network's. */
  readonly trust_proxy: readonly string[]
  readonly max_sockets: number
  /** No bound when 0. */
  readonly max_sockets_per_network: number
  readonly max_open_per_network: number
}

/**
 * What one network of clients may hold of a process: connections, and requests that are not answered yet, also
 * those that are still on their way. Whatever one of them does slowly, the rest is for the others.
 */
export class ClientBounds implements HandleGuard {
  readonly #options: ClientBoundsOptions
  readonly #metrics: Metrics
  readonly #sockets = new Map<string, number>()
  readonly #requests = new Map<string, number>()

  constructor(options: ClientBoundsOptions, metrics: Metrics) {
    this.#options = options
    this.#metrics = metrics
  }

  register(app: FastifyInstance): void {
    app.server.maxConnections = this.#options.max_sockets
    const isProxy = createIsProxy(this.#options.trust_proxy)
    app.server.on('connection', (socket) => this.#countSocket(socket, isProxy))
  }

  enter({ held }: Pick<FastifyRequest, 'held'>): Refusal | undefined {
    const { max_open_per_network } = this.#options
    if (max_open_per_network === 0 || held.spec?.unlimited) return undefined
    const share = held.handle === undefined ? 1 : bulkheads.handles.share_of_requests
    const account = accountOf(held)
    if ((this.#requests.get(account) ?? 0) >= Math.max(1, Math.floor(max_open_per_network * share))) {
      this.#metrics.http_shed.inc({ reason: 'network_requests' })
      const { status, text } = tooManyAtOnce
      return new Refusal(status, text, { 'retry-after': '1' })
    }
    add(this.#requests, account, 1)
    held.is_open = true
    return undefined
  }

  /** Also when the response goes on without work, as a stream of events does, which has limits of its own. */
  leave(held: Held): void {
    if (!held.is_open) return
    held.is_open = false
    add(this.#requests, accountOf(held), -1)
  }

  #countSocket(socket: Socket, isProxy: (address: string | undefined) => boolean): void {
    const { max_sockets_per_network } = this.#options
    if (max_sockets_per_network === 0 || isProxy(socket.remoteAddress)) return
    const network = clientNetwork(socket.remoteAddress ?? '')
    if ((this.#sockets.get(network) ?? 0) >= max_sockets_per_network) {
      this.#metrics.http_shed.inc({ reason: 'network_sockets' })
      socket.destroy()
      return
    }
    add(this.#sockets, network, 1)
    socket.once('close', () => add(this.#sockets, network, -1))
  }
}

/** Requests on a handle of their own are counted apart. */
const accountOf = ({ network, handle }: Held): string =>
  handle === undefined ? network : `${handle} ${network}`

function add(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}
