const minute = 60
const hour = 60 * minute

/** Waits after the first, second … failed attempt: ten attempts within about 75 hours. */
export const ladderSeconds: readonly number[] = [
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/** How long an endpoint that was not there is left alone, by attempts in a row that found nobody. */
const restSeconds: readonly number[] = [5, 30, 2 * minute, 5 * minute]

/** ±10 %, so that deliveries that failed together are not retried together. */
const jitter = 0.1

/**
 * Whole seconds until the next attempt, or undefined after the last one. The jitter comes from the id: the same
 * delivery waits the same time wherever it is worked out.
 */
export function nextWaitSeconds(id: string, failedAttempts: number): number | undefined {
  const wait = ladderSeconds[failedAttempts - 1]
  if (wait === undefined) return undefined
  return Math.round(wait * (1 + jitter * (2 * fractionOf(id, failedAttempts) - 1)))
}

export const nextRestSeconds = (failures: number): number =>
  restSeconds[Math.min(failures, restSeconds.length) - 1] ?? 0

/** FNV-1a: a number from 0 to 1 that looks like chance and is not. */
function fractionOf(id: string, salt: number): number {
  let hash = 2_166_136_261
  for (const character of `${id}:${salt}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619)
  }
  return (hash >>> 0) / 2 ** 32
}
