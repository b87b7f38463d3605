import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface SlowMailServer {
  readonly url: string
  /** Letters that have arrived whole, answered or not. */
  letters(): number
  close(): Promise<void>
}

/** A mail server that takes a letter and thinks about it before it says so. */
export async function startSlowMailServer(delayMs: number): Promise<SlowMailServer> {
  let letters = 0
  const sockets = new Set<Socket>()
  const timers = new Set<NodeJS.Timeout>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.write('220 slow.test ESMTP\r\n')
    let isData = false
    let text = ''
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end)
        text = text.slice(end + 2)
        if (isData && line !== '.') continue
        if (isData) {
          isData = false
          letters += 1
          timers.add(setTimeout(() => socket.write('250 taken\r\n'), delayMs))
          continue
        }
        isData = line.toUpperCase() === 'DATA'
        socket.write(isData ? '354 go on\r\n' : '250 ok\r\n')
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    letters: () => letters,
    async close() {
      for (const timer of timers) clearTimeout(timer)
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
