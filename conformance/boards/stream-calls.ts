import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { createParser } from 'eventsource-parser'

export interface Told {
  event: string
  id: string | undefined
  data: Record<string, unknown>
}

interface ListenOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly last_event_id?: string | undefined
}

export const streamPath = (query: string) => `/api/v1/events/stream?${query}`

/** One connection to a stream, read as a browser would. */
export class Listener {
  readonly told: Told[] = []
  readonly comments: string[] = []
  /** What a browser would send as Last-Event-ID. */
  last_id = ''
  is_over = false
  /** How long it is told to wait before it comes back. */
  retry_ms = 0
  readonly response: Response
  readonly #abort: AbortController

  private constructor(response: Response, abort: AbortController) {
    this.response = response
    this.#abort = abort
    void this.#read()
  }

  static async open(baseUrl: string, query: string, options: ListenOptions): Promise<Listener> {
    const abort = new AbortController()
    const { headers, last_event_id } = options
    const response = await fetch(`${baseUrl}${streamPath(query)}`, {
      headers: { ...headers, ...(last_event_id === undefined ? {} : { 'last-event-id': last_event_id }) },
      signal: abort.signal,
    })
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    return new Listener(response, abort)
  }

  /** Events of the feed, without `ready` and `reset`. */
  get entries(): Told[] {
    return this.told.filter(({ event }) => event.includes('.'))
  }

  async until(isSo: (listener: Listener) => boolean, limitMs = 20_000): Promise<this> {
    await waitFor(() => isSo(this), limitMs).catch((cause: unknown) => {
      throw new Error(`the stream told ${JSON.stringify(this.told).slice(0, 500)}`, { cause })
    })
    return this
  }

  ready = () => this.until(({ told }) => told.some(({ event }) => event === 'ready'))
  count = (entries: number, limitMs?: number) =>
    this.until((listener) => listener.entries.length >= entries, limitMs)
  over = (limitMs?: number) => this.until(({ is_over }) => is_over, limitMs)

  close(): void {
    this.#abort.abort()
  }

  async #read(): Promise<void> {
    const parser = createParser({
      onEvent: ({ event = '', id, data }) => this.told.push({ event, id, data: JSON.parse(data) }),
      onId: (id) => {
        this.last_id = id
      },
      onRetry: (ms) => {
        this.retry_ms = ms
      },
      onComment: (comment) => this.comments.push(comment),
    })
    const decoder = new TextDecoder()
    try {
      for await (const chunk of this.response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }))
    } catch {
      // Cut off: by us, or by the death of the process.
    }
    this.is_over = true
  }
}
