import { Listener } from '../../boards/stream-calls.ts'

interface ReturningOptions {
  /** The two processes, as they are now. */
  urls(): readonly string[]
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Comes back whenever it is cut off, to either process in turn. A naive one comes without the place it had come
 * to, and a moment later, as browsers do.
 */
export class ReturningClient {
  readonly seen: string[] = []
  connections = 0
  /** The process that it listens to. */
  turn = 0
  readonly #options: ReturningOptions
  readonly #moment: (() => Promise<unknown>) | undefined
  #isOn = true
  #listener: Listener | undefined
  readonly over: Promise<void>

  constructor(options: ReturningOptions, moment?: () => Promise<unknown>) {
    this.#options = options
    this.#moment = moment
    this.over = this.#loop()
  }

  stop(): Promise<void> {
    this.#isOn = false
    this.#listener?.close()
    return this.over
  }

  async #loop(): Promise<void> {
    let place: string | undefined
    for (; this.#isOn; this.turn += 1) {
      if (this.connections > 0) await this.#moment?.()
      const last_event_id = this.#moment ? undefined : place
      const { urls, query, headers } = this.#options
      try {
        const url = urls()[this.turn % 2] ?? ''
        this.#listener = await Listener.open(url, query, { headers, last_event_id })
        this.connections += 1
        await this.#listen(this.#listener)
        place = this.#listener.last_id || place
      } catch {
        // Nobody is there; the other one may be.
      }
    }
  }

  async #listen(listener: Listener): Promise<void> {
    let taken = 0
    await listener.until(({ entries, is_over }) => {
      this.seen.push(...entries.slice(taken).map(({ data }) => nameOf(data)))
      taken = entries.length
      return is_over || !this.#isOn
    }, 240_000)
  }
}

/** Ids of entries of boards and of events outside of them count apart. */
const nameOf = ({ id, board_id }: Record<string, unknown>): string => `${board_id ? 'b' : 'e'}${id}`
