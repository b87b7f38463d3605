import type { Bulkhead } from '#platform/bulkheads/bulkheads.ts'
import type { Life } from '#platform/bulkheads/life.ts'
import { Outage } from '#platform/outage/outage.ts'

interface Waiting {
  enter(): void
}

interface Semaphore {
  taken: number
  readonly waiting: Waiting[]
}

/** A semaphore per key. Whoever releases hands the permit to the next in the queue, so nobody overtakes. */
export class KeyedSemaphore<Key> {
  readonly #limits: Bulkhead
  readonly #semaphores = new Map<Key, Semaphore>()
  readonly #waited: ((seconds: number) => void) | undefined

  constructor(limits: Bulkhead, waited?: (seconds: number) => void) {
    this.#limits = limits
    this.#waited = waited
  }

  /** Takes a permit if one is free now. */
  tryEnter(key: Key): boolean {
    const semaphore = this.#semaphores.get(key)
    if (!semaphore) this.#semaphores.set(key, { taken: 1, waiting: [] })
    else if (semaphore.taken < this.#limits.places) semaphore.taken += 1
    else return false
    return true
  }

  /** Waits for a permit, within the limits and only while the caller still waits. */
  async enter(key: Key, life?: Life): Promise<void> {
    if (this.tryEnter(key)) return
    const { waiting } = this.#semaphores.get(key) as Semaphore
    if (waiting.length >= this.#limits.waiting) throw new Outage('database', 'overloaded')
    const begun = performance.now()
    let forget = () => {}
    let timer: NodeJS.Timeout | undefined
    try {
      await new Promise<void>((enter, refuse) => {
        const mine = { enter }
        const giveUp = (reason: Outage) => {
          const at = waiting.indexOf(mine)
          if (at < 0) return
          waiting.splice(at, 1)
          refuse(reason)
        }
        waiting.push(mine)
        timer = setTimeout(() => giveUp(new Outage('database', 'overloaded')), this.#limits.wait_ms)
        forget = life?.onEnd(giveUp) ?? forget
      })
    } finally {
      clearTimeout(timer)
      forget()
      this.#waited?.((performance.now() - begun) / 1000)
    }
  }

  leave(key: Key): void {
    const semaphore = this.#semaphores.get(key)
    if (!semaphore) throw new Error('released a permit that nobody holds')
    const next = semaphore.waiting.shift()
    if (next) next.enter()
    else {
      semaphore.taken -= 1
      // Keys are many and most of them rest: nothing is kept of those.
      if (semaphore.taken === 0) this.#semaphores.delete(key)
    }
  }

  /** Keys with holders; for tests and metrics. */
  get size(): number {
    return this.#semaphores.size
  }
}
