import type { ProcessMatch } from './processes.ts'

export const partNames = ['postgres', 'redis', 's3', 'mail'] as const

export type PartName = (typeof partNames)[number]

/** One of the servers that Crewhall needs around it. Every verb works through this interface. */
export interface Part {
  name: PartName
  address: string
  /** Debian packages that must be there before the part can start. */
  packages: string[]
  /** One file per daemon, in the order in which they are stopped. The part runs when all of them live. */
  pidFiles: string[]
  match: ProcessMatch
  stopSignal: NodeJS.Signals
  /** Deleted by `reset`. */
  dir: string
  /** Starts what is not running and returns when clients can work. */
  start(): Promise<void>
  /** Asks the part itself: a living process may still be starting or recovering. */
  isReady(): Promise<boolean>
}
