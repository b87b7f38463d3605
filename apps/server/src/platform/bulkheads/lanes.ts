import { Bound, type Limit } from '#platform/bulkheads/bound.ts'
import { Outage, type Part } from '#platform/outage/outage.ts'

/** `now`: somebody waits for it. `later`: background work. */
export type Lane = 'now' | 'later'

export interface LaneLimits {
  readonly all: Limit
  /** Of these, what background work may hold. */
  readonly later: Limit
  /** Maximum that wait, in each lane. */
  readonly waiting: number
  readonly waiting_per_owner: number
}

type Leave = () => void
type Granted = (leave: Leave) => void

/**
 * Places for calls of something slow. Those for whom somebody waits come before background work; within a lane the
 * owners take turns, so a long queue of one owner delays the others by one call at a time.
 */
export class Lanes {
  readonly #part: Part
  readonly #limits: LaneLimits
  readonly #all: Bound
  readonly #later: Bound
  /** By owner, each first come, first served. */
  readonly #waiting = { now: new Map<string, Granted[]>(), later: new Map<string, Granted[]>() }

  constructor(part: Part, limits: LaneLimits) {
    this.#part = part
    this.#limits = limits
    this.#all = new Bound(limits.all)
    this.#later = new Bound(limits.later)
  }

  get waiting(): number {
    return this.waitingIn('now') + this.waitingIn('later')
  }

  waitingIn(lane: Lane): number {
    let count = 0
    for (const queue of this.#waiting[lane].values()) count += queue.length
    return count
  }

  /** Resolves with what gives the place back. Rejects with the reason of the signal, or when too many wait. */
  take(lane: Lane, owner: string, signal: AbortSignal): Promise<Leave> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const queues = this.#waiting[lane]
      const queue = queues.get(owner) ?? []
      const { waiting, waiting_per_owner } = this.#limits
      if (queue.length >= waiting_per_owner || this.waitingIn(lane) >= waiting)
        throw new Outage(this.#part, 'overloaded')
      const giveUp = () => {
        queue.splice(queue.indexOf(granted), 1)
        if (queue.length === 0) queues.delete(owner)
        reject(signal.reason)
      }
      const granted: Granted = (leave) => {
        signal.removeEventListener('abort', giveUp)
        resolve(leave)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      queue.push(granted)
      queues.set(owner, queue)
      this.#grant()
    })
  }

  #grant(): void {
    while (this.#grantIn('now') || this.#grantIn('later'));
  }

  #grantIn(lane: Lane): boolean {
    const queues = this.#waiting[lane]
    const bounds = lane === 'now' ? [this.#all] : [this.#all, this.#later]
    for (const [owner, queue] of queues) {
      if (!bounds.every((bound) => bound.admits(owner))) continue
      const granted = queue.shift()
      // An owner that was just served goes to the end.
      queues.delete(owner)
      if (queue.length > 0) queues.set(owner, queue)
      for (const bound of bounds) bound.take(owner)
      granted?.(this.#leaveOnce(bounds, owner))
      return true
    }
    return false
  }

  #leaveOnce(bounds: readonly Bound[], owner: string): Leave {
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      for (const bound of bounds) bound.leave(owner)
      this.#grant()
    }
  }
}
