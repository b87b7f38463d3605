import type { Outage } from '#platform/outage/outage.ts'

/** Where the work of a request is done. */
export interface Works {
  cancel(life: Life): void
}
type Heard = (reason: Outage) => void

/**
 * Whether the caller still waits. It ends when the deadline of a request passes or the caller disconnects, and cancels
 * what was started: places in queues, running statements, transactions. An AbortSignal would work but is too expensive,
 * because one is created for every request; those who need one for a slow call ask for it.
 */
export class Life {
  #ended: Outage | undefined
  #heard: Set<Heard> | undefined
  readonly #works: Works | undefined
  /** When the caller is told that it took too long, as `performance.now()` counts. */
  due = Number.POSITIVE_INFINITY

  constructor(works?: Works) {
    this.#works = works
  }

  get ended(): Outage | undefined {
    return this.#ended
  }

  end(reason: Outage): void {
    if (this.#ended) return
    this.#ended = reason
    for (const hear of this.#heard ?? []) hear(reason)
    this.#heard = undefined
    this.#works?.cancel(this)
  }

  /** Returns an unsubscribe function. Calls back immediately if the life has already ended. */
  onEnd(hear: Heard): () => void {
    if (this.#ended) {
      hear(this.#ended)
      return () => {}
    }
    this.#heard ??= new Set()
    const heard = this.#heard
    heard.add(hear)
    return () => heard.delete(hear)
  }

  signal(): AbortSignal {
    const controller = new AbortController()
    this.onEnd((reason) => controller.abort(reason))
    return controller.signal
  }
}
