import type { Bulkhead } from '#platform/bulkheads/bulkheads.ts'
import type { Life } from '#platform/bulkheads/life.ts'
import { Outage, type Part } from '#platform/outage/outage.ts'

type Entered = (refused?: Outage) => void

interface Waiting {
  readonly entered: Entered
  readonly since: number
  /** Stops listening for the end of the request. */
  forget: (() => void) | undefined
}

interface Semaphore {
  taken: number
  readonly waiting: Waiting[]
}

/** A semaphore per key. A released permit goes to the next in the queue, so nobody overtakes. */
export class KeyedSemaphore<Key> {
  readonly #limits: Bulkhead
  readonly #semaphores = new Map<Key, Semaphore>()
  readonly #waited: ((seconds: number) => void) | undefined
  readonly #part: Part
  /** One for all that wait: one each would keep finished requests in memory. */
  #timer: NodeJS.Timeout | undefined

  constructor(limits: Bulkhead, waited?: (seconds: number) => void, part: Part = 'database') {
    this.#limits = limits
    this.#waited = waited
    this.#part = part
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
  enter(key: Key, life?: Life): Promise<void> {
    return new Promise((resolve, reject) => {
      this.whenEntered(key, life, (refused) => (refused ? reject(refused) : resolve()))
    })
  }

  /** The same with a callback, which is called at once when a permit is handed on. */
  whenEntered(key: Key, life: Life | undefined, entered: Entered): void {
    if (this.tryEnter(key)) {
      entered()
      return
    }
    const { waiting } = this.#semaphores.get(key) as Semaphore
    if (waiting.length >= this.#limits.waiting) {
      entered(new Outage(this.#part, 'overloaded'))
      return
    }
    const mine: Waiting = { entered, since: performance.now(), forget: undefined }
    waiting.push(mine)
    mine.forget = life?.onEnd((reason) => {
      const at = waiting.indexOf(mine)
      if (at < 0) return
      waiting.splice(at, 1)
      this.#done(mine, reason)
    })
    this.#timer ??= this.#lookAfter(this.#limits.wait_ms)
  }

  leave(key: Key): void {
    const semaphore = this.#semaphores.get(key)
    if (!semaphore) throw new Error('released a permit that nobody holds')
    const next = semaphore.waiting.shift()
    if (next) this.#done(next)
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

  #done(waiting: Waiting, refused?: Outage): void {
    waiting.forget?.()
    this.#waited?.((performance.now() - waiting.since) / 1000)
    waiting.entered(refused)
  }

  #lookAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#refuseLate(), ms).unref()
  }

  /** Refuses those that have waited too long, and looks again when the next one would have. */
  #refuseLate(): void {
    // A refused caller may wait again at once, for a key that has been looked at already.
    this.#timer = undefined
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    for (const { waiting } of this.#semaphores.values()) {
      for (let [first] = waiting; first; [first] = waiting) {
        const left = first.since + this.#limits.wait_ms - now
        if (left > 0) {
          next = Math.min(next, left)
          break
        }
        waiting.shift()
        this.#done(first, new Outage(this.#part, 'overloaded'))
      }
    }
    if (next === Number.POSITIVE_INFINITY) return
    clearTimeout(this.#timer)
    this.#timer = this.#lookAfter(Math.ceil(next))
  }
}
