import type { Life } from '#platform/bulkheads/life.ts'
import { Outage } from '#platform/outage/outage.ts'

/** Does what is not on the handler's account, such as waiting for the caller: its time begins anew afterwards. */
export type Aside = <T>(meanwhile: () => Promise<T>) => Promise<T>

/** When one request has to be answered. */
export class Deadline {
  readonly #limitMs: number
  readonly #life: Life
  readonly #giveUp: (reason: Outage) => void
  due: number
  /** Where it stands in the list. */
  place: number

  constructor(limitMs: number, life: Life, giveUp: (reason: Outage) => void, place: number) {
    this.#limitMs = limitMs
    this.#life = life
    this.#giveUp = giveUp
    this.due = life.due = performance.now() + limitMs
    this.place = place
  }

  async aside<T>(meanwhile: () => Promise<T>): Promise<T> {
    this.due = Number.POSITIVE_INFINITY
    try {
      return await meanwhile()
    } finally {
      this.due = this.#life.due = performance.now() + this.#limitMs
    }
  }

  passed(): void {
    this.due = Number.POSITIVE_INFINITY
    const reason = new Outage('service', 'timeout')
    this.#giveUp(reason)
    this.#life.end(reason)
  }
}

/**
 * A handler that waits too long is answered with 503, or as its contract says, and what it started is ended. One timer and
 * one plain list for all requests: a timer or a Set entry per request keeps what hangs on it alive long
 * enough to be promoted, and then the collector pays for every request twice.
 */
export class Deadlines {
  readonly #waiting: Deadline[] = []
  readonly #timer: NodeJS.Timeout = setInterval(() => this.#look(), 50).unref()

  begin(limitMs: number, life: Life, giveUp: (reason: Outage) => void): Deadline {
    const deadline = new Deadline(limitMs, life, giveUp, this.#waiting.length)
    this.#waiting.push(deadline)
    return deadline
  }

  /** The last one takes the free place. */
  end(deadline: Deadline): void {
    const last = this.#waiting.pop()
    if (!last || last === deadline) return
    last.place = deadline.place
    this.#waiting[deadline.place] = last
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = performance.now()
    for (const deadline of this.#waiting) if (deadline.due <= now) deadline.passed()
  }
}
