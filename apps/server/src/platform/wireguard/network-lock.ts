import { once } from 'node:events'
import { readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'

export interface NetworkLock {
  /** Names the boot and the network namespace: whoever has the lock there is the only one, and the one before is dead. */
  readonly place: string
  release(): void
}

/**
 * One process in this network namespace. The name is no file: the kernel knows it for each network namespace apart, and
 * forgets it when the process ends, however it does.
 */
export async function lockNetwork(name: string): Promise<NetworkLock | undefined> {
  const server = createServer((socket) => socket.destroy())
  server.listen(`\0${name}`)
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined
    throw error
  }
  server.unref()
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return { place: `${boot} ${readlinkSync('/proc/self/ns/net')}`, release: () => server.close() }
}
