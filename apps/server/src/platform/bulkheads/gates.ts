import type { Bulkhead } from '#platform/bulkheads/bulkheads.ts'
import type { Life } from '#platform/bulkheads/life.ts'
import { Outage } from '#platform/outage/outage.ts'

interface Waiting {
  enter(): void
}

interface Gate {
  taken: number
  readonly waiting: Waiting[]
}

/** One gate per key, each with as many places. Whoever leaves hands the place on, so nobody overtakes. */
export class Gates<Key> {
  readonly #limits: Bulkhead
  readonly #gates = new Map<Key, Gate>()
  readonly #waited: ((seconds: number) => void) | undefined

  constructor(limits: Bulkhead, waited?: (seconds: number) => void) {
    this.#limits = limits
    this.#waited = waited
  }

  /** Takes a place if there is one at once. */
  tryEnter(key: Key): boolean {
    const gate = this.#gates.get(key)
    if (!gate) this.#gates.set(key, { taken: 1, waiting: [] })
    else if (gate.taken < this.#limits.places) gate.taken += 1
    else return false
    return true
  }

  /** Waits for a place, up to the limits, and no longer than somebody waits for the answer. */
  async enter(key: Key, life?: Life): Promise<void> {
    if (this.tryEnter(key)) return
    const { waiting } = this.#gates.get(key) as Gate
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
    const gate = this.#gates.get(key)
    if (!gate) throw new Error('left a gate that nobody entered')
    const next = gate.waiting.shift()
    if (next) next.enter()
    else {
      gate.taken -= 1
      // Keys are many and most of them rest: nothing is kept of those.
      if (gate.taken === 0) this.#gates.delete(key)
    }
  }

  /** Keys with somebody inside; for tests and metrics. */
  get size(): number {
    return this.#gates.size
  }
}
