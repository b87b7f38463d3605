import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { KeptCalls } from '#platform/outbound/kept-calls.ts'

interface CanaryOptions {
  readonly calls: KeptCalls
  /** Of the operator; a listener of this process where there is none. */
  readonly url: string | undefined
  readonly limit_ms: number
}

/** An address that has to answer: if it does not, the fault is with whoever asks. */
export class Canary {
  readonly #options: CanaryOptions
  #server: Server | undefined

  constructor(options: CanaryOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#options.url !== undefined) return
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => response.end())
    this.#server.listen(0, '127.0.0.1').unref()
  }

  async sings(ctx: OutsideSystemCtx): Promise<boolean> {
    const { calls, limit_ms } = this.#options
    const base_url = this.#options.url ?? this.#ownUrl()
    if (base_url === undefined) return false
    const received = await calls.get(ctx, { base_url, path: '/', limit_ms })
    return 'status' in received && received.status === 200
  }

  close(): void {
    this.#server?.close()
    this.#server?.closeAllConnections()
  }

  #ownUrl(): string | undefined {
    const address = this.#server?.address() as AddressInfo | null | undefined
    return address ? `http://127.0.0.1:${address.port}` : undefined
  }
}
