import { setTimeout } from 'node:timers/promises'

/** Looks until something is so, and fails with the last finding when it is not so in time. */
export async function waitFor<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
  limitMs: number,
): Promise<T> {
  const until = performance.now() + limitMs
  let last: unknown
  for (;;) {
    try {
      const found = await look()
      if (found !== undefined && found !== false) return found
      last = found
    } catch (error) {
      last = error
    }
    if (performance.now() > until) throw new Error(`not so within ${limitMs} ms`, { cause: last })
    await setTimeout(20)
  }
}
