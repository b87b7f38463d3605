export interface Limit {
  /** How many there may be at a time. */
  readonly places: number
  /** Of these, how many are kept for owners that hold none: whoever came first must not have all of them. */
  readonly kept_free: number
}

/** Counts who holds how much of something that is scarce. */
export class Bound {
  readonly #limit: Limit
  readonly #held = new Map<string, number>()
  #taken = 0

  constructor(limit: Limit) {
    this.#limit = limit
  }

  get taken(): number {
    return this.#taken
  }

  get owners(): Iterable<string> {
    return this.#held.keys()
  }

  heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0
  }

  admits(owner: string): boolean {
    const { places, kept_free } = this.#limit
    return this.#taken < (this.#held.has(owner) ? places - kept_free : places)
  }

  take(owner: string): void {
    this.#taken += 1
    this.#held.set(owner, this.heldBy(owner) + 1)
  }

  leave(owner: string): void {
    this.#taken -= 1
    const left = this.heldBy(owner) - 1
    if (left > 0) this.#held.set(owner, left)
    else this.#held.delete(owner)
  }
}
