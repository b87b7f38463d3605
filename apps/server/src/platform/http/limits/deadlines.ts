import type { Life } from '#platform/bulkheads/life.ts'
import { Outage } from '#platform/outage/outage.ts'

interface Waiting {
  due: number
  readonly give_up: (error: Outage) => void
  readonly life: Life
  /** Where it stands in the list. */
  place: number
}

/** Does what is not on the handler's account, such as waiting for the caller: its time begins anew afterwards. */
export type Aside = <T>(meanwhile: () => Promise<T>) => Promise<T>

/**
 * A handler that waits too long is answered with 503, and what it started is ended. One timer and
 * one plain list for all requests: a timer or a Set entry per request keeps what hangs on it alive long
 * enough to be promoted, and then the collector pays for every request twice.
 */
export class Deadlines {
  readonly #waiting: Waiting[] = []
  readonly #timer: NodeJS.Timeout = setInterval(() => this.#look(), 50).unref()

  within<T>(limitMs: number, life: Life, work: (aside: Aside) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting = { due: performance.now() + limitMs, give_up: reject, life, place: this.#waiting.length }
      this.#waiting.push(waiting)
      const aside: Aside = async (meanwhile) => {
        waiting.due = Number.POSITIVE_INFINITY
        try {
          return await meanwhile()
        } finally {
          waiting.due = performance.now() + limitMs
        }
      }
      work(aside).then(
        (value) => {
          this.#remove(waiting)
          resolve(value)
        },
        (error) => {
          this.#remove(waiting)
          reject(error)
        },
      )
    })
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** The last one takes the free place. */
  #remove(waiting: Waiting): void {
    const last = this.#waiting.pop()
    if (!last || last === waiting) return
    last.place = waiting.place
    this.#waiting[waiting.place] = last
  }

  #look(): void {
    const now = performance.now()
    for (const waiting of this.#waiting) {
      if (waiting.due > now) continue
      waiting.due = Number.POSITIVE_INFINITY
      const reason = new Outage('service', 'timeout')
      waiting.give_up(reason)
      waiting.life.end(reason)
    }
  }
}
