import { connect } from 'node:net'
import type pg from 'pg'

interface Backend {
  readonly host?: string
  readonly port?: number
  readonly processID?: number
  readonly secretKey?: number
}

const cancelCode = 80_877_102
const limitMs = 1000

/**
 * Asks the server to cancel what a connection is doing, over a separate connection, as the protocol requires. Settles
 * when the server has closed that connection, which it does after signaling: later statements on the original connection
 * are safe. Never fails; the statement timeout still applies.
 */
export function requestCancel(client: pg.ClientBase): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as Backend
  if (!processID || typeof secretKey !== 'number') return Promise.resolve()
  return new Promise((resolve) => {
    const socket = host?.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port ?? 5432}`)
      : connect(port ?? 5432, host ?? '127.0.0.1')
    socket.setTimeout(limitMs, () => socket.destroy())
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve())
    // Without a reader, the end of the connection is never noticed.
    socket.resume()
    socket.on('connect', () => {
      const message = Buffer.alloc(16)
      message.writeInt32BE(16, 0)
      message.writeInt32BE(cancelCode, 4)
      message.writeInt32BE(processID, 8)
      message.writeInt32BE(secretKey, 12)
      socket.write(message)
    })
  })
}
