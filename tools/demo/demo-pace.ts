import { setTimeout as pause } from 'node:timers/promises'

/** How fast things happen, and whether they still should. */
export class Pace {
  readonly #faster: number
  readonly #stopped = new AbortController()

  constructor(faster: number) {
    this.#faster = faster
  }

  get isOver(): boolean {
    return this.#stopped.signal.aborted
  }

  stop(): void {
    this.#stopped.abort()
  }

  /** About as long as a person would expect; at once when the demo ends. */
  async wait(seconds: number): Promise<void> {
    const spread = 0.7 + Math.random() * 0.6
    const options = { signal: this.#stopped.signal }
    await pause((seconds * 1000 * spread) / this.#faster, undefined, options).catch(() => {})
  }
}
