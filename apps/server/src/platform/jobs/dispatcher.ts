import type { FairPlaces, Permit, PermitRequest } from '#platform/bulkheads/fair-places.ts'

export interface Order<Claimed> {
  /** One at a time of each. */
  readonly key: string
  readonly wanted: PermitRequest
  /** Called once there is a place; undefined if there is nothing left to do. */
  claim(): Promise<Claimed | undefined>
  work(claimed: Claimed, slot: Slot): Promise<void>
  /** Called if either of them throws. */
  failed(error: unknown): void
}

export interface Slot {
  readonly place: Permit
  /** The process ends. */
  readonly signal: AbortSignal
}

/** Runs work that waits for an external party: one that hangs holds up only itself. */
export class Dispatcher {
  readonly #places: FairPlaces
  readonly #known = new Map<string, Promise<void>>()
  readonly #stop = new AbortController()

  constructor(places: FairPlaces) {
    this.#places = places
  }

  /** What runs or waits for a place. */
  get keys(): string[] {
    return [...this.#known.keys()]
  }

  /** Returns at once. Nothing happens when the same is under way already. */
  start<Claimed>(order: Order<Claimed>): void {
    if (this.#stop.signal.aborted || this.#known.has(order.key)) return
    const running = this.#run(order).finally(() => this.#known.delete(order.key))
    this.#known.set(order.key, running)
  }

  /** Waits until something that runs or waits for a place has ended; at once if there is nothing. */
  async next(): Promise<void> {
    if (this.#known.size > 0) await Promise.race(this.#known.values())
  }

  /** Starts nothing more; signals running work to stop and waits for it. */
  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#known.values())
  }

  async #run<Claimed>({ wanted, claim, work, failed }: Order<Claimed>): Promise<void> {
    const { signal } = this.#stop
    const place = await this.#places.take(wanted, signal)
    if (!place) return
    try {
      const claimed = signal.aborted ? undefined : await claim()
      if (claimed !== undefined) await work(claimed, { place, signal })
    } catch (error) {
      failed(error)
    } finally {
      place.leave()
    }
  }
}
