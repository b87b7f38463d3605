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
 * Polls for work that has no job, one poll at a time: at intervals, and immediately when woken. For worker processes.
 */
export class Loop {
  readonly #options: LoopOptions
  #isRunning = false
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  /** Woken while polling: the reason may have come too late for that poll. */
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

  /** Polls soon. Free if that is about to happen anyway. */
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
      // The next poll comes soon.
      log.warn({ error, loop: name }, 'could not poll for work')
    }
  }
}
