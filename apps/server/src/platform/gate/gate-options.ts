import { join } from 'node:path'

/** What the process in the network of peers is told; there is no secret among it. */
export interface GateOptions {
  /** Holds the sockets. */
  readonly folder: string
  /** The one address and port that peers reach. */
  readonly address: string
  readonly port: number
  /** The one path of the API that is passed on, and the host that it is asked from. */
  readonly path: string
  readonly api_host: string
  /** Where it connects to for workers, and nowhere else. */
  readonly networks: readonly string[]
}

/** Workers connect to peers through it. */
export const doorIn = (folder: string): string => join(folder, 'door.sock')

/** From the network of peers to the API. */
export const outletIn = (folder: string): string => join(folder, 'outlet.sock')
