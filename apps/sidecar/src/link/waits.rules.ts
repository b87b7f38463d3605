const firstRetryS = 1
const longestRetryS = 300

/** Ten percent more or less, so that desks that were started together drift apart. `chance` is from 0 to 1. */
export const jittered = (seconds: number, chance: number): number => seconds * (0.9 + 0.2 * chance)

/**
 * How long to wait after so many failures in a row: twice as long each time, up to five minutes, and anywhere in the upper
 * half, because all desks of a service that was away come back at once.
 */
export function retryWait(failures: number, chance: number): number {
  const most = Math.min(longestRetryS, firstRetryS * 2 ** Math.min(failures - 1, 20))
  return (most / 2) * (1 + chance)
}
