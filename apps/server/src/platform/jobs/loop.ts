import type { Log } from '#platform/log/log.ts'

interface LoopOptions {
  readonly name: string
  readonly every_ms: number
  /** Between two looks at least, however often it is woken. */
  readonly pause_ms: number
  readonly log: Log
  look(): Promise<void>
}

/**
 * Looks again and again for work that no job tells of, one look at a time: now and then by itself, and at once when it
 * is woken. For worker processes.
 */
export class Loop {
  readonly #options: LoopOptions
  #isRunning = false
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  /** Woken while it looked: what it was woken for may have come too late for that look. */
  #isWoken = false
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(options: LoopOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#later(this.#options.every_ms)
  }

  /** Looks soon. Costs nothing while that is about to happen anyway. */
  wake(): void {
    if (!this.#isRunning || this.#isWoken) return
    this.#isWoken = true
    if (!this.#looking) this.#later(0)
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    clearTimeout(this.#timer)
    await this.#looking
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    if (!this.#isRunning) return
    const rest = this.#lookedAt + this.#options.pause_ms - performance.now()
    this.#timer = setTimeout(() => this.#begin(), Math.max(ms, rest))
  }

  #begin(): void {
    this.#isWoken = false
    this.#looking = this.#once().finally(() => {
      this.#looking = undefined
      this.#lookedAt = performance.now()
      this.#later(this.#isWoken ? 0 : this.#options.every_ms)
    })
  }

  async #once(): Promise<void> {
    const { name, log, look } = this.#options
    try {
      await look()
    } catch (error) {
      // The next look comes soon.
      log.warn({ error, loop: name }, 'could not poll for work')
    }
  }
}
