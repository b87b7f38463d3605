/**
 * Senders of one worker process. The queue hands out wake-ups in batches and waits for the slowest of each, so a
 * receiver that takes its time to fail would hold up all others; here it only holds up itself.
 */
export class Dispatcher {
  readonly #places: number
  readonly #running = new Set<Promise<void>>()
  readonly #waiting: (() => void)[] = []
  readonly #stop = new AbortController()
  #taken = 0

  constructor(places: number) {
    this.#places = places
  }

  /** Runs `claim`, and hands what it answers to `work` without waiting for it. Waits only while all places are taken. */
  async start<Claimed>(
    claim: () => Promise<Claimed | undefined>,
    work: (claimed: Claimed, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    await this.#take()
    let isHandedOn = false
    try {
      const claimed = this.#stop.signal.aborted ? undefined : await claim()
      if (claimed === undefined) return
      isHandedOn = true
      const running = work(claimed, this.#stop.signal).finally(() => {
        this.#running.delete(running)
        this.#leave()
      })
      this.#running.add(running)
    } finally {
      if (!isHandedOn) this.#leave()
    }
  }

  /** Requests under way are taken back: whoever is next sends them again, under the same ids. */
  async close(): Promise<void> {
    this.#stop.abort()
    for (const go of this.#waiting.splice(0)) go()
    await Promise.allSettled(this.#running)
  }

  async #take(): Promise<void> {
    if (this.#taken >= this.#places && !this.#stop.signal.aborted) {
      // Whoever leaves hands their place on, so it stays taken.
      return new Promise((go) => this.#waiting.push(go))
    }
    this.#taken += 1
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken -= 1
  }
}
