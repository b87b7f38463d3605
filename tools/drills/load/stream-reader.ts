import { setTimeout } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'

const pauseMs = 100

/** Reads the events of one board for as long as it is open, and comes back with its cursor whenever a stream ends. */
export class StreamReader {
  readonly seen: string[] = []
  resumed = 0
  resets = 0
  #cursor: string | undefined
  #refused = ''
  readonly #stop = new AbortController()
  readonly #url: string
  readonly #token: string
  readonly done: Promise<void>

  constructor(baseUrl: string, board: string, token: string) {
    this.#url = `${baseUrl}/api/v1/events/stream?board_ids=${board}`
    this.#token = token
    this.done = this.#read()
  }

  /** What the last response was that was no stream. */
  get refused(): string {
    return this.#refused
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.done
  }

  async #read(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        await this.#readOnce(signal)
      } catch {
        // Cut off: by us, or by the end of the process.
      }
      if (this.#cursor !== undefined) this.resumed += 1
      // As a client does that was refused: while nobody serves it must not keep the machine busy.
      if (!signal.aborted) await setTimeout(pauseMs)
    }
  }

  async #readOnce(signal: AbortSignal): Promise<void> {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(this.#cursor === undefined ? {} : { 'last-event-id': this.#cursor }),
    }
    const response = await fetch(this.#url, { headers, signal })
    if (response.status !== 200) {
      this.#refused = `${response.status}: ${await response.text()}`
      return
    }
    const parser = createParser({
      onEvent: ({ event = '', data }) => {
        if (event === 'reset') this.resets += 1
        if (event.includes('.')) this.seen.push(String((JSON.parse(data) as { id: unknown }).id))
      },
      onId: (id) => {
        this.#cursor = id
      },
    })
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }))
  }
}
