import { Agent, type ClientRequestArgs } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { DoorClosed, throughDoor } from '#platform/gate/door.ts'
import { connect, secure } from '#platform/outbound/connect.ts'
import type { OutboundFailure } from '#platform/outbound/outbound-call.ts'
import type { Target } from '#platform/outbound/target.ts'

/** A door that is closed says nothing about who is behind it. */
export type LineFailure = OutboundFailure | 'refused' | 'door'

export interface Line {
  readonly target: Target
  /** All of them were judged. A kept line is used again only while the name means exactly these. */
  readonly addresses: readonly string[]
  /** Whose calls share it. Undefined: it ends with its call. */
  readonly keep_for: string | undefined
  /** Undefined where it is reached without one. */
  readonly door?: string | undefined
  readonly signal: AbortSignal
}

/** Why there is no connection. */
export class LineFault extends Error {
  readonly failure: LineFailure
  constructor(failure: LineFailure) {
    super(failure)
    this.failure = failure
  }
}

export interface LinesOptions {
  /** As many connections are kept; further calls open one of their own. */
  readonly most: number
  /** How many of them to the same addresses for the same owner. */
  readonly most_each: number
  /** How long a connection may lie idle. */
  readonly idle_ms: number
}

/** Connections that are judged before they are opened, proven before their first byte, and kept by what they were judged for. */
export class Lines extends Agent {
  readonly #most: number
  open = 0

  constructor({ most, most_each, idle_ms }: LinesOptions) {
    // Probes of idle connections would be more traffic than the calls.
    super({ keepAlive: true, keepAliveMsecs: idle_ms, maxFreeSockets: most_each, timeout: idle_ms })
    this.#most = most
  }

  override getName(options?: ClientRequestArgs): string {
    const { target, addresses, keep_for } = lineOf(options)
    const { is_secure, host, port } = target
    return JSON.stringify([is_secure, host, port, addresses.toSorted(), keep_for])
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

async function openLine({ target, addresses, signal, door }: Line): Promise<Duplex> {
  const socket =
    door === undefined ? await openHere(target, addresses, signal) : await openBehind(door, target, signal)
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

async function openHere(target: Target, addresses: readonly string[], signal: AbortSignal): Promise<Socket> {
  let isRefused = false
  const socket = await connect(target, addresses, signal, ({ code }) => {
    isRefused = code === 'ECONNREFUSED'
  })
  if (!socket) throw new LineFault(isRefused ? 'refused' : 'unreachable')
  // What was looked up is what was connected to; this is the proof, before the first byte is sent.
  if (!target.mayReach(socket.remoteAddress ?? '')) {
    socket.destroy()
    throw new LineFault('address')
  }
  return socket
}
