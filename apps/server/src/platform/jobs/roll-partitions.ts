import { setTimeout } from 'node:timers/promises'
import { Outage } from '#platform/outage/outage.ts'

const tries = 40
const pauseMs = 250

/**
 * Creates upcoming partitions of a table and drops expired ones, by a function of the owner. It gives up the lock quickly,
 * because everyone else waits behind it, so the job runs often.
 */
export async function rollPartitions(signal: AbortSignal, roll: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await roll()
      return
    } catch (error) {
      const isBusy = error instanceof Outage && error.reason === 'timeout'
      if (!isBusy || attempt === tries) throw error
      await setTimeout(pauseMs, undefined, { signal })
    }
  }
}
