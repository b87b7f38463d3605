import {
  type JSONRPCMessage,
  type RequestId,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client'
import type { OutboundFetch } from '#platform/tool-servers/outbound-fetch.ts'
import { ToolServerFault } from '#platform/tool-servers/tool-server-fault.ts'

/** Each entry is compared with every shape it could have, and what fits none is described at length. */
const mostEntries = 200

function hasTooMany(message: object): boolean {
  const { content, tools } = ('result' in message ? message.result : {}) as {
    content?: unknown
    tools?: unknown
  }
  return [content, tools].some((each) => Array.isArray(each) && each.length > mostEntries)
}

/**
 * Lets through what was asked for and nothing else. A server's own requests would be answered, each by a request of ours,
 * and what ends without a response would be waited for until the limit.
 */
export class GuardedTransport implements Transport {
  readonly hasPerRequestStream = true
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Transport['onmessage']
  readonly #inner: StreamableHTTPClientTransport
  readonly #fail: (fault: ToolServerFault) => void
  readonly #asked = new Set<RequestId>()
  /** Errors that whoever sent something is told about. */
  readonly #told = new WeakSet<Error>()

  constructor(url: URL, fetch: OutboundFetch, fail: (fault: ToolServerFault) => void) {
    this.#fail = fail
    this.#inner = new StreamableHTTPClientTransport(url, {
      fetch,
      // The fetch fails on any. The policy of the client would follow those within an origin.
      requestInit: { redirect: 'manual' },
      reconnectionOptions: {
        initialReconnectionDelay: 0,
        maxReconnectionDelay: 0,
        reconnectionDelayGrowFactor: 1,
        maxRetries: 0,
      },
      onInsufficientScope: 'throw',
    })
    this.#inner.onclose = () => this.onclose?.()
    this.#inner.onerror = (error) => this.#hear(error)
    this.#inner.onmessage = (message) => this.#receive(message)
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId
  }

  start = (): Promise<void> => this.#inner.start()
  close = (): Promise<void> => this.#inner.close()
  setProtocolVersion = (version: string): void => this.#inner.setProtocolVersion(version)
  terminateSession = (): Promise<void> => this.#inner.terminateSession()

  async send(message: JSONRPCMessage, { requestSignal, headers }: TransportSendOptions = {}): Promise<void> {
    const id = 'method' in message && 'id' in message ? message.id : undefined
    if (id !== undefined) this.#asked.add(id)
    const onRequestStreamEnd = () => {
      if (id !== undefined && this.#asked.has(id))
        this.#fail(new ToolServerFault('protocol', 'it ended without a result'))
    }
    try {
      await this.#inner.send(message, {
        onRequestStreamEnd,
        ...(requestSignal ? { requestSignal } : {}),
        ...(headers ? { headers } : {}),
      })
    } catch (error) {
      if (error instanceof Error) this.#told.add(error)
      throw error
    }
  }

  #receive(message: JSONRPCMessage): void {
    if ('method' in message) return
    const isAsked = message.id !== undefined && this.#asked.delete(message.id)
    if (!isAsked) this.#fail(new ToolServerFault('protocol', 'it belongs to another call'))
    else if (hasTooMany(message)) this.#fail(new ToolServerFault('too_large'))
    else this.onmessage?.(message)
  }

  /** What cannot be read inside a stream is told here alone; the client would go on waiting. */
  #hear(error: Error): void {
    setImmediate(() => {
      if (!this.#told.has(error)) this.#fail(new ToolServerFault('protocol'))
    })
  }
}
