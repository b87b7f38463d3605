/**
 * A cache of callers by the digest of their credential. An entry is never trusted by itself: the next transaction checks
 * its epoch and the version of its session, and fails if either has changed.
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
