import { Agent, type ClientRequestArgs, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Outside } from '#platform/ctx/outside.ts'
import { DoorClosed, throughDoor } from '#platform/gate/door.ts'
import { addressOf, isWithin, networksOf } from '#platform/outbound/addresses.ts'
import { connect, secure } from '#platform/outbound/connect.ts'
import { collect, isUnreadable } from '#platform/outbound/exchange.ts'
import type { Answered, OutboundFailure } from '#platform/outbound/outbound-call.ts'
import { type Target, targetWithin } from '#platform/outbound/target.ts'

export interface KeptCallsOptions {
  /** The only networks that are called. */
  readonly networks: readonly string[]
  /** As many connections are kept; further calls open one of their own. */
  readonly most: number
  /** How long a connection may lie idle. */
  readonly idle_ms: number
  /** Addresses that are reached through a door, which stands in their network, and by no other way. */
  readonly door?: { readonly path: string; readonly networks: readonly string[] } | undefined
}

export interface KeptCall {
  /** An address, not a name, without a query. */
  readonly base_url: string
  /** With the query. */
  readonly path: string
  /** For everything together. */
  readonly limit_ms: number
}

/** A door that is closed says nothing about who is behind it. */
export type KeptFailure = OutboundFailure | 'refused' | 'door'
export type KeptResult = Answered | { readonly failure: KeptFailure }

interface Line {
  readonly target: Target
  readonly signal: AbortSignal
  /** Undefined where it is reached without one. */
  readonly door: string | undefined
}

/** Why there is no connection. */
class LineFault extends Error {
  readonly failure: KeptFailure
  constructor(failure: KeptFailure) {
    super(failure)
    this.failure = failure
  }
}

/**
 * GETs to the same addresses again and again, over connections that are kept. Each is judged before it is opened and proven
 * before its first byte, as in `outbound.ts`; one that is kept stays with the address that it was opened to.
 */
export class KeptCalls {
  readonly #networks
  readonly #lines: Lines
  readonly #doorTo: (host: string) => string | undefined

  constructor({ networks, most, idle_ms, door }: KeptCallsOptions) {
    this.#networks = networksOf(networks)
    const behind = networksOf(door?.networks ?? [])
    this.#doorTo = (host) => {
      const address = addressOf(host)
      return address && isWithin(address, behind) ? door?.path : undefined
    }
    this.#lines = new Lines(most, idle_ms)
  }

  /** How many connections are open. */
  get open(): number {
    return this.#lines.open
  }

  /** Never throws because of the other side. Redirects are returned, not followed. */
  async get(_: Outside, call: KeptCall): Promise<KeptResult> {
    const target = targetWithin(call.base_url, this.#networks)
    if (!target) return { failure: 'address' }
    const begun = performance.now()
    const first = await this.#once(target, call.path, call.limit_ms)
    if (first !== 'stale') return first
    // The other side had closed the connection in the meantime. That says nothing about it.
    const rest = Math.max(1, call.limit_ms - (performance.now() - begun))
    const again = await this.#once(target, call.path, rest)
    return again === 'stale' ? { failure: 'unreachable' } : again
  }

  close(): void {
    this.#lines.destroy()
  }

  #once(target: Target, path: string, limit_ms: number): Promise<KeptResult | 'stale'> {
    const { host, port, host_header } = target
    const over = new AbortController()
    const line: Line = { target, signal: over.signal, door: this.#doorTo(host) }
    return new Promise((resolve) => {
      const options = {
        agent: this.#lines,
        host,
        port,
        path: `${target.path.replace(/\/+$/, '')}${path}`,
        setHost: false,
        headers: { host: host_header, accept: 'application/json' },
        line,
      }
      const asked = request(options)
      const done = (result: KeptResult | 'stale') => {
        clearTimeout(late)
        resolve(result)
        if (result !== 'stale' && !('failure' in result)) return
        over.abort()
        asked.destroy()
      }
      const late = setTimeout(() => done({ failure: 'timeout' }), limit_ms)
      let isAnswered = false
      asked.on('error', (error: Error & { code?: string }) => {
        if (error instanceof LineFault) return done({ failure: error.failure })
        if (asked.reusedSocket && !isAnswered && !isUnreadable(error)) return done('stale')
        done({ failure: isUnreadable(error) ? 'protocol' : 'unreachable' })
      })
      // Whoever speaks another protocol from here on cannot be asked again on this line.
      asked.on('upgrade', (_answer, socket) => {
        socket.destroy()
        done({ failure: 'protocol' })
      })
      asked.on('response', (answer: IncomingMessage) => {
        isAnswered = true
        collect(answer, done)
      })
      asked.end()
    })
  }
}

class Lines extends Agent {
  readonly #most: number
  open = 0

  constructor(most: number, idle_ms: number) {
    // Probes of idle connections would be more traffic than the calls.
    super({ keepAlive: true, keepAliveMsecs: idle_ms, maxFreeSockets: 1, timeout: idle_ms })
    this.#most = most
  }

  override getName(options?: ClientRequestArgs): string {
    const { target } = lineOf(options)
    return `${target.is_secure ? 's' : 'p'} ${target.host} ${target.port}`
  }

  override createConnection(
    options: ClientRequestArgs,
    done?: (error: Error | null, line: Duplex) => void,
  ): undefined {
    openLine(lineOf(options)).then(
      (line) => {
        this.#count(line)
        done?.(null, line)
      },
      // Node has no line to give here either.
      (error: Error) => done?.(error, undefined as unknown as Duplex),
    )
  }

  /** Apart from the request that opened the line, which a listener made beside it would keep in memory with its answer. */
  #count(line: Duplex): void {
    this.open += 1
    line.once('close', () => {
      this.open -= 1
    })
  }

  override keepSocketAlive(line: Duplex): boolean {
    return this.open <= this.#most && Boolean(super.keepSocketAlive(line))
  }
}

/** Node hands on what the request was made with. */
const lineOf = (options?: ClientRequestArgs): Line => (options as { line: Line }).line

async function openLine({ target, signal, door }: Line): Promise<Duplex> {
  const socket = door === undefined ? await openHere(target, signal) : await openBehind(door, target, signal)
  if (!target.is_secure) return socket
  const line = await secure(socket, target, signal)
  if (!line) throw new LineFault('tls')
  return line
}

/** The door looks at the address itself. */
async function openBehind(door: string, target: Target, signal: AbortSignal): Promise<Socket> {
  try {
    const opened = await throughDoor(door, target, signal)
    if (typeof opened !== 'string') return opened
    throw new LineFault(opened === 'forbidden' ? 'address' : opened)
  } catch (error) {
    throw error instanceof DoorClosed ? new LineFault('door') : error
  }
}

async function openHere(target: Target, signal: AbortSignal): Promise<Socket> {
  let isRefused = false
  const socket = await connect(target, [target.host], signal, ({ code }) => {
    isRefused = code === 'ECONNREFUSED'
  })
  if (!socket) throw new LineFault(isRefused ? 'refused' : 'unreachable')
  if (!target.mayReach(socket.remoteAddress ?? '')) {
    socket.destroy()
    throw new LineFault('address')
  }
  return socket
}
