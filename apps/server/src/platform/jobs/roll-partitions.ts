import { setTimeout } from 'node:timers/promises'
import { Outage } from '#platform/outage/outage.ts'

const tries = 40
const pauseMs = 250

/**
 * Makes the coming partitions of a table and drops those past their time, by a function of the owner. That gives way
 * after a moment, because everybody who comes meanwhile waits behind it; so it is asked often.
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
