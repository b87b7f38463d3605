import { setTimeout } from 'node:timers/promises'

/** Ends early, without an error, when the sidecar is to stop. */
export async function pause(seconds: number, stop: AbortSignal): Promise<void> {
  await setTimeout(seconds * 1000, undefined, { signal: stop }).catch((error: unknown) => {
    if (!stop.aborted) throw error
  })
}
