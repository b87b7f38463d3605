import { readFileSync, statSync } from 'node:fs'

/** The source of time. Nothing else in the server may read the system clock. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** The time of log lines, cached per millisecond. Never moved by tests: logs use real time. */
export function createLogTime(): () => string {
  let last = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== last) {
      last = now
      text = new Date(now).toISOString()
    }
    return text
  }
}

/**
 * A clock that a test moves from outside: the file holds an offset in milliseconds. Started processes
 * share the file, so all of them move at once. The configuration refuses it in production.
 */
export function fileClock(path: string): Clock {
  let seen = ''
  let offsetMs = 0
  return {
    now() {
      const file = statSync(path, { throwIfNoEntry: false })
      // Times of files are coarse. A test that moves the clock puts a new file in place of the old one.
      const version = file ? `${file.ino} ${file.mtimeMs}` : ''
      if (version !== seen) {
        offsetMs = file ? Number(readFileSync(path, 'utf8')) : 0
        seen = version
      }
      return new Date(Date.now() + offsetMs)
    },
  }
}
