import { setTimeout } from 'node:timers/promises'
import { startFairTime } from './fair-time.ts'

/** Looks until something is so, and fails with the last finding when it is not so in time, as fair-time.ts counts it. */
export async function waitFor<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
  limitMs: number,
): Promise<T> {
  const elapsed = startFairTime()
  let last: unknown
  for (;;) {
    try {
      const found = await look()
      if (found !== undefined && found !== false) return found
      last = found
    } catch (error) {
      last = error
    }
    if (elapsed() > limitMs) throw new Error(`not so within ${limitMs} ms`, { cause: last })
    await setTimeout(20)
  }
}
