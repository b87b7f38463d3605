import { Outage, type Part } from '#platform/outage/outage.ts'

export interface BreakerLimits {
  /** Failures in a row that open the circuit. */
  readonly failures: number
  /** How long it stays open; twice as long after each trial that failed, up to the longest. */
  readonly cool_down_ms: number
  readonly longest_ms: number
}

/** What an error says about the other side. `unknown`: nothing, for example because the caller gave up. */
export type Sign = 'there' | 'away' | 'unknown'

interface BreakerOptions {
  readonly part: Part
  readonly limits: BreakerLimits
  readonly signOf: (error: unknown) => Sign
  readonly changed?: (isOpen: boolean) => void
  /** Milliseconds that only grow. */
  readonly now?: () => number
}

/**
 * Keeps callers from waiting for something that is away. After some failures in a row nobody is let through; after the
 * cool-down one call is, as a trial, and its outcome decides. Everybody else is refused at once.
 */
export class CircuitBreaker {
  readonly #options: BreakerOptions
  readonly #now: () => number
  #failures = 0
  #trials = 0
  #openUntil: number | undefined
  #isTrying = false

  constructor(options: BreakerOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  get is_open(): boolean {
    return this.#openUntil !== undefined
  }

  /** Whether a call would be refused now. After the cool-down, one is let through. */
  get is_refusing(): boolean {
    return this.#openUntil !== undefined && (this.#isTrying || this.#now() < this.#openUntil)
  }

  /** Throws if a call would be refused now: nobody should wait in line for something that is away. */
  check(): void {
    if (this.is_refusing) throw new Outage(this.#options.part, 'unreachable')
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.check()
    const isTrial = this.is_open
    if (isTrial) this.#isTrying = true
    try {
      const result = await work()
      this.#close()
      return result
    } catch (error) {
      const sign = this.#options.signOf(error)
      if (sign === 'there') this.#close()
      if (sign === 'away') this.#fail(isTrial)
      throw error
    } finally {
      if (isTrial) this.#isTrying = false
    }
  }

  #fail(isTrial: boolean): void {
    this.#failures += 1
    const { failures, cool_down_ms, longest_ms } = this.#options.limits
    const wasOpen = this.is_open
    // Those that were under way when it opened say nothing new.
    if (wasOpen ? !isTrial : this.#failures < failures) return
    if (isTrial) this.#trials += 1
    this.#openUntil = this.#now() + Math.min(longest_ms, cool_down_ms * 2 ** this.#trials)
    if (!wasOpen) this.#options.changed?.(true)
  }

  #close(): void {
    this.#failures = 0
    this.#trials = 0
    if (!this.is_open) return
    this.#openUntil = undefined
    this.#options.changed?.(false)
  }
}
