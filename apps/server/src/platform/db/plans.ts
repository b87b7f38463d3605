import type pg from 'pg'
import { isRetryable, isStalePlan } from '#platform/db/pg-errors.ts'

const maxAttempts = 4

/**
 * A release may change a table under a running process, and Postgres then refuses what was prepared before. Names of
 * prepared statements carry a number; incrementing it makes every connection prepare again, so one retry is enough.
 */
export class Plans {
  #number = 0

  #nameOf(name: string): string {
    return this.#number === 0 ? name : `${name}.${this.#number}`
  }

  named(config: pg.QueryConfig): pg.QueryConfig {
    if (this.#number === 0 || config.name === undefined) return config
    return { ...config, name: this.#nameOf(config.name) }
  }

  /**
   * Runs again what lost against another transaction (a single statement can lose as well, against one that locks
   * the same rows in another order), and once what met a plan from before a release.
   */
  async untilDone<T>(work: () => Promise<T>): Promise<T> {
    let isPlannedAnew = false
    for (let attempt = 1; ; attempt += 1) {
      const number = this.#number
      try {
        return await work()
      } catch (error) {
        const isStale: boolean = !isPlannedAnew && isStalePlan(error)
        if (!isStale && (attempt >= maxAttempts || !isRetryable(error))) throw error
        // Of many that meet stale plans at once, one raises the number.
        if (isStale && this.#number === number) this.#number += 1
        isPlannedAnew ||= isStale
      }
    }
  }
}
