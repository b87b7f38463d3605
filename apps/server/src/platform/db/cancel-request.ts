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
 * Asks the server to stop what a connection is doing, over a line of its own, as the protocol has it. Settles when
 * the server has closed that line, which it does after the signal was sent: a statement that is asked for later on
 * the same connection is safe from it. Never fails; the limit of the statement is still there.
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
    // Without a reader the end of the line is never noticed.
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
