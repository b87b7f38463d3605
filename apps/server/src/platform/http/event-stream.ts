import type { ServerResponse } from 'node:http'
import type { BrandCtx } from '#platform/ctx/ctx.ts'

export interface SentEvent {
  readonly event?: string
  /** Where the caller goes on when it comes back. Without data it only moves that place. */
  readonly id?: string
  readonly data?: unknown
  readonly retry_ms?: number
  readonly comment?: string
}

/** As defined by HTML: one field per line, and an empty line at the end. JSON contains no line breaks. */
export function textOf({ comment, retry_ms, id, event, data }: SentEvent): string {
  const lines = [
    comment === undefined ? '' : `: ${comment}\n`,
    retry_ms === undefined ? '' : `retry: ${retry_ms}\n`,
    id === undefined ? '' : `id: ${id}\n`,
    event === undefined ? '' : `event: ${event}\n`,
    data === undefined ? '' : `data: ${JSON.stringify(data)}\n`,
  ]
  return `${lines.join('')}\n`
}

/** An answer that goes on: `run` writes events until the stream is over. */
export class EventStreamAnswer {
  readonly ctx: BrandCtx
  readonly run: (stream: EventStream) => Promise<void>

  constructor(ctx: BrandCtx, run: (stream: EventStream) => Promise<void>) {
    this.ctx = ctx
    this.run = run
  }
}

export interface EventStreamOptions {
  /** The place that the caller had come to, when it comes back. */
  readonly last_event_id: string | undefined
  /** Proxies close a connection that is idle for a minute. */
  readonly keepalive_ms: number
  /** A caller that takes nothing for so long has gone, or does not want it. */
  readonly stall_ms: number
  admit(): Promise<BrandCtx>
}

/** One caller that listens. */
export class EventStream {
  readonly #raw: ServerResponse
  readonly #options: EventStreamOptions
  #isWoken = false
  #resume: (() => void) | undefined
  #written_at = performance.now()

  constructor(raw: ServerResponse, options: EventStreamOptions) {
    this.#raw = raw
    this.#options = options
    raw.on('drain', () => this.#resume?.())
    raw.on('close', () => this.#resume?.())
    // The client disconnected during a write; `close` follows.
    raw.on('error', () => {})
  }

  get last_event_id(): string | undefined {
    return this.#options.last_event_id
  }

  get is_over(): boolean {
    return this.#raw.writableEnded || this.#raw.destroyed
  }

  /** Nothing has been sent for so long that a sign of life is due. */
  get is_silent(): boolean {
    return this.#silentMs() >= this.#options.keepalive_ms
  }

  /**
   * Authorizes the caller again, or throws. What was read before this call may be sent: if the caller had lost access before
   * any of it was written, this would have noticed.
   */
  admit(): Promise<BrandCtx> {
    return this.#options.admit()
  }

  /** Returns when there is room for more. Only one at a time. */
  async send(event: SentEvent): Promise<void> {
    if (this.is_over) return
    this.#written_at = performance.now()
    if (this.#raw.write(textOf(event))) return
    await this.#waitUntil(() => !this.#raw.writableNeedDrain, this.#options.stall_ms)
    if (this.#raw.writableNeedDrain) this.#raw.destroy()
  }

  /** Something may have happened: look again. */
  wake(): void {
    this.#isWoken = true
    this.#resume?.()
  }

  /** Waits until woken, or until a sign of life is due. */
  async idle(): Promise<void> {
    const restMs = this.#options.keepalive_ms - this.#silentMs()
    if (restMs > 0) await this.#waitUntil(() => this.#isWoken, restMs)
    this.#isWoken = false
  }

  /** Waits, whatever happens meanwhile but the end. */
  rest(ms: number): Promise<void> {
    return this.#waitUntil(() => false, ms)
  }

  end(): void {
    if (!this.is_over) this.#raw.end()
    this.#resume?.()
  }

  #silentMs(): number {
    return performance.now() - this.#written_at
  }

  #waitUntil(isSo: () => boolean, limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#resume = undefined
        resolve()
      }
      // Timers may ring up to a millisecond early.
      const timer = setTimeout(done, Math.ceil(limitMs) + 1)
      this.#resume = () => {
        if (this.is_over || isSo()) done()
      }
      this.#resume()
    })
  }
}
