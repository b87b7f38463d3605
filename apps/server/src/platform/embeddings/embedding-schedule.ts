/** Most texts of one call. */
const batch = 64
/** One text that a model cannot take must not hold up others for ever: what has failed is tried in ever smaller company. */
export function batchSize(attempts: number): number {
  if (attempts < 2) return batch
  return attempts === 2 ? 8 : 1
}

/** Of one call. The built-in model takes some seconds for so many, and whoever stops a process waits for them. */
const mostCharacters = 20_000
/** Texts in calls of a bearable size, in their order; each text is in one of them. */
export function callsOf<T extends { readonly text: string }>(texts: readonly T[]): T[][] {
  const calls: T[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const each of texts) {
    size += each.text.length
    if (size > mostCharacters) {
      calls.push([])
      size = each.text.length
    }
    calls.at(-1)?.push(each)
  }
  return calls
}

const waits_seconds = [10, 60, 300, 1800, 7200]
const longestWait_seconds = 28_800
/** Until the next attempt, after so many that have failed. It is never given up: search goes on by text meanwhile. */
export const waitSeconds = (attempts: number): number => waits_seconds[attempts - 1] ?? longestWait_seconds

/** How long nothing is tried after so many failures in a row, whosever texts they were. */
export const restMs = (failures: number): number => Math.min(60_000, 2500 * 2 ** failures)
