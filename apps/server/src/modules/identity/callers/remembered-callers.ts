/**
 * Callers by the digest of their credential. What is remembered is never trusted by itself: the epoch it was
 * read at, and the version of its session, are shown at the next transaction, which fails when either has moved on.
 */
export class RememberedCallers<Caller> {
  readonly #limit: number
  #callers = new Map<string, Caller>()

  constructor(limit: number) {
    this.#limit = limit
  }

  find(key: string): Caller | undefined {
    return this.#callers.get(key)
  }

  remember(key: string, caller: Caller): void {
    // Starting over is cheaper than keeping an order of use, and as good: each caller costs one look-up.
    if (this.#callers.size >= this.#limit) this.#callers = new Map()
    this.#callers.set(key, caller)
  }

  forget(key: string): void {
    this.#callers.delete(key)
  }
}
