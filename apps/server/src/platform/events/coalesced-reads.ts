import { setImmediate } from 'node:timers/promises'
import type { Semaphore } from '#platform/events/semaphore.ts'

/**
 * Listeners that are woken together mostly read the same. A read is shared by all that request it before it starts; later
 * it is too old, because it may miss what they were woken for.
 */
export class CoalescedReads {
  readonly #semaphore: Semaphore
  readonly #coming = new Map<string, Promise<unknown>>()

  constructor(semaphore: Semaphore) {
    this.#semaphore = semaphore
  }

  /** `key` contains everything that the result depends on. */
  read<T>(key: string, work: () => Promise<T>): Promise<T> {
    const coming = this.#coming.get(key) as Promise<T> | undefined
    if (coming) return coming
    const reading = this.#begin(key, work)
    this.#coming.set(key, reading)
    return reading
  }

  async #begin<T>(key: string, work: () => Promise<T>): Promise<T> {
    // Wait until all that are being woken now have asked.
    await setImmediate()
    return this.#semaphore.take(() => {
      this.#coming.delete(key)
      return work()
    })
  }
}
