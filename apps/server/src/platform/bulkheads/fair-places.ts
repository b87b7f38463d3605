import { Bound, type Limit } from '#platform/bulkheads/bound.ts'

export interface PlaceLimits {
  readonly all: Limit
  /** For owners that were slow before: they share these and only these. */
  readonly slow: Limit
  /** Towards one receiver. */
  readonly receiver: Limit
}

export interface PermitRequest {
  /** Places are shared fairly between owners. */
  readonly owner: string
  readonly receiver: string
  readonly is_slow: boolean
}

export interface Permit {
  /** Another owner is waiting and this one has more than its share: stop at the next good moment. */
  readonly is_wanted: boolean
  leave(): void
}

interface Waiting {
  readonly wanted: PermitRequest
  readonly go: (place: Permit) => void
}

/**
 * Places for work that waits for an external party. A free one goes to the owner that holds the fewest; an owner alone
 * may have nearly all of them, and gives them back when others come.
 */
export class FairPlaces {
  readonly #limits: PlaceLimits
  readonly #all: Bound
  readonly #slow: Bound
  readonly #receivers = new Map<string, Bound>()
  /** By owner, each first come, first served. */
  readonly #waiting = new Map<string, Waiting[]>()

  constructor(limits: PlaceLimits) {
    this.#limits = limits
    this.#all = new Bound(limits.all)
    this.#slow = new Bound(limits.slow)
  }

  get taken(): number {
    return this.#all.taken
  }

  get waiting(): number {
    let count = 0
    for (const queue of this.#waiting.values()) count += queue.length
    return count
  }

  /** Undefined when the caller gave up first. */
  take(wanted: PermitRequest, signal: AbortSignal): Promise<Permit | undefined> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined)
      const giveUp = () => {
        this.#forget(waiting)
        resolve(undefined)
      }
      const waiting: Waiting = {
        wanted,
        go: (place) => {
          signal.removeEventListener('abort', giveUp)
          resolve(place)
        },
      }
      signal.addEventListener('abort', giveUp, { once: true })
      const queue = this.#waiting.get(wanted.owner)
      if (queue) queue.push(waiting)
      else this.#waiting.set(wanted.owner, [waiting])
      this.#grant()
    })
  }

  #grant(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#forget(next)
      next.go(this.#enter(next.wanted))
    }
  }

  /** Of the eligible ones, the one whose owner holds the fewest places; ties go to the owner served longest ago. */
  #next(): Waiting | undefined {
    let best: Waiting | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [owner, queue] of this.#waiting) {
      const held = this.#all.heldBy(owner)
      if (held >= fewest || !this.#all.admits(owner)) continue
      const first = queue.find(({ wanted }) => this.#blocking(wanted).length === 0)
      if (!first) continue
      best = first
      fewest = held
    }
    return best
  }

  #enter(wanted: PermitRequest): Permit {
    const toReceiver = this.#receivers.get(wanted.receiver) ?? new Bound(this.#limits.receiver)
    this.#receivers.set(wanted.receiver, toReceiver)
    const bounds = [this.#all, ...(wanted.is_slow ? [this.#slow] : []), toReceiver]
    for (const bound of bounds) bound.take(wanted.owner)
    let isHeld = true
    const isWanted = () => isHeld && this.#isWanted(wanted, bounds)
    return {
      get is_wanted() {
        return isWanted()
      },
      leave: () => {
        if (!isHeld) return
        isHeld = false
        for (const bound of bounds) bound.leave(wanted.owner)
        if (toReceiver.taken === 0) this.#receivers.delete(wanted.receiver)
        this.#goLast(wanted.owner, this.#waiting.get(wanted.owner) ?? [])
        this.#grant()
      },
    }
  }

  #isWanted({ owner }: PermitRequest, mine: readonly Bound[]): boolean {
    if (this.#waiting.size === 0 || this.#all.heldBy(owner) <= this.#share()) return false
    for (const [other, queue] of this.#waiting) {
      // Only those that could use a place of this kind.
      const isHelped = ({ wanted }: Waiting) => this.#blocking(wanted).every((bound) => mine.includes(bound))
      if (other !== owner && queue.some(isHelped)) return true
    }
    return false
  }

  /** The fair share of each present owner. */
  #share(): number {
    const { size } = new Set([...this.#all.owners, ...this.#waiting.keys()])
    return Math.max(1, Math.floor(this.#limits.all.places / size))
  }

  #blocking({ owner, receiver, is_slow }: PermitRequest): Bound[] {
    // A receiver without calls holds no place and blocks nobody.
    const bounds = [this.#all, ...(is_slow ? [this.#slow] : []), this.#receivers.get(receiver)]
    return bounds.filter((bound): bound is Bound => bound !== undefined && !bound.admits(owner))
  }

  #forget(waiting: Waiting): void {
    const { owner } = waiting.wanted
    this.#goLast(owner, this.#waiting.get(owner)?.filter((each) => each !== waiting) ?? [])
  }

  /** An owner that was just served goes to the end. */
  #goLast(owner: string, queue: Waiting[]): void {
    this.#waiting.delete(owner)
    if (queue.length > 0) this.#waiting.set(owner, queue)
  }
}
