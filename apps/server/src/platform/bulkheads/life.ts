import type { Outage } from '#platform/outage/outage.ts'

/** Where the work of a request is done. */
interface Works {
  cancel(life: Life): void
}
type Heard = (reason: Outage) => void

/**
 * Whether somebody still waits for the answer. It ends when the deadline of a request has passed or its caller has
 * hung up, and takes with it what was begun: places in queues, statements under way, transactions. A signal of the
 * platform would do, and costs more than all the rest of it, because one of these is made for every request.
 */
export class Life {
  #ended: Outage | undefined
  #heard: Set<Heard> | undefined
  readonly #works: Works | undefined

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

  /** Answers how to stop listening. Calls at once when it is over already. */
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
}
