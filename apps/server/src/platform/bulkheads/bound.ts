export interface Limit {
  /** Maximum held at a time. */
  readonly places: number
  /** How many of these are reserved for owners that hold none, so that the first owner cannot take all. */
  readonly kept_free: number
}

/** Counts who holds how much of a scarce resource. */
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
