import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export interface SilentNameServer {
  readonly address: string
  /** Questions that came in. */
  asked(): number
  close(): void
}

/** Receives every query and never responds. */
export async function startSilentNameServer(): Promise<SilentNameServer> {
  let asked = 0
  const socket = createSocket('udp4')
  socket.on('message', () => {
    asked += 1
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked: () => asked,
    close: () => socket.close(),
  }
}
