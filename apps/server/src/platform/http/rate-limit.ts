/** What is left of a caller's minute after a request was counted; below zero it is refused. */
export interface Allowance {
  readonly per_minute: number
  readonly left: number
  readonly reset_seconds: number
}

const windowMs = 60_000

/** Beyond this many callers in a minute, newcomers share one count: memory stays bounded under a flood. */
const maxCallers = 100_000

/**
 * Requests per caller and minute, in this process. A fresh table each minute instead of one that expires
 * entry by entry: nothing is ever deleted from it, so counting stays as cheap as it looks.
 */
export class RateLimit {
  readonly #perMinute: number
  readonly #monotonicMs: () => number
  #counts = new Map<string, number>()
  #startedAt: number

  constructor(perMinute: number, monotonicMs: () => number) {
    this.#perMinute = perMinute
    this.#monotonicMs = monotonicMs
    this.#startedAt = monotonicMs()
  }

  count(caller: string): Allowance {
    return this.#add(caller, 1)
  }

  /** Takes a count back: nobody is charged for being told that nothing has changed. */
  refund(caller: string): Allowance {
    return this.#add(caller, -1)
  }

  #add(caller: string, requests: number): Allowance {
    const now = this.#monotonicMs()
    if (now - this.#startedAt >= windowMs) {
      this.#counts = new Map()
      this.#startedAt = now
    }
    const key = this.#counts.size < maxCallers || this.#counts.has(caller) ? caller : 'others'
    const used = Math.max(0, (this.#counts.get(key) ?? 0) + requests)
    this.#counts.set(key, used)
    const reset_seconds = Math.ceil((this.#startedAt + windowMs - now) / 1000)
    return { per_minute: this.#perMinute, left: this.#perMinute - used, reset_seconds }
  }
}
