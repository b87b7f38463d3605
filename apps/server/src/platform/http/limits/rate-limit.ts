/** What is left of a caller's minute after a request was counted; below zero it is refused. */
export interface Quota {
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
  #counts = new Map<string, Used>()
  #startedAt: number

  constructor(perMinute: number, monotonicMs: () => number) {
    this.#perMinute = perMinute
    this.#monotonicMs = monotonicMs
    this.#startedAt = monotonicMs()
  }

  count(caller: string): Quota {
    const { used, key, now } = this.#find(caller)
    used.requests += 1
    this.#counts.set(key, used)
    return this.#quota(used, now)
  }

  /**
   * Takes a count back: nobody is charged for being told that nothing has changed. The work was done all the
   * same, so no more is taken back in a minute than the minute holds.
   */
  refund(caller: string): Quota {
    const { used, now } = this.#find(caller)
    if (used.requests > 0 && used.refunds < this.#perMinute) {
      used.requests -= 1
      used.refunds += 1
    }
    return this.#quota(used, now)
  }

  #find(caller: string): { used: Used; key: string; now: number } {
    const now = this.#monotonicMs()
    if (now - this.#startedAt >= windowMs) {
      this.#counts = new Map()
      this.#startedAt = now
    }
    const key = this.#counts.size < maxCallers || this.#counts.has(caller) ? caller : 'others'
    return { used: this.#counts.get(key) ?? { requests: 0, refunds: 0 }, key, now }
  }

  #quota({ requests }: Used, now: number): Quota {
    const reset_seconds = Math.ceil((this.#startedAt + windowMs - now) / 1000)
    return { per_minute: this.#perMinute, left: this.#perMinute - requests, reset_seconds }
  }
}

interface Used {
  requests: number
  refunds: number
}
