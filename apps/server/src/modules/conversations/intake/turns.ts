import { setImmediate } from 'node:timers/promises'

/** Everybody else of the process waits meanwhile. */
const turnMs = 10

/** For a loop that computes for long: lets others have their turn now and then. */
export class Turns {
  #began = performance.now()

  async next(): Promise<void> {
    if (performance.now() - this.#began < turnMs) return
    await setImmediate()
    this.#began = performance.now()
  }
}
