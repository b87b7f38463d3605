import { readFileSync, statSync } from 'node:fs'

/** Where the time comes from. Nothing else in the server may ask the machine for it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/**
 * A clock that a test moves from outside: the file holds an offset in milliseconds. Started processes
 * share the file, so all of them move at once. The configuration refuses it in production.
 */
export function fileClock(path: string): Clock {
  let seen = -1
  let offsetMs = 0
  return {
    now() {
      const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
      if (changed !== seen) {
        offsetMs = changed === 0 ? 0 : Number(readFileSync(path, 'utf8').trim() || '0')
        seen = changed
      }
      return new Date(Date.now() + offsetMs)
    },
  }
}
