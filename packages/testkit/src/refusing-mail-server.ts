import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface RefusingMailServer {
  readonly url: string
  /** Recipients that were named to it. */
  tries(): number
  close(): Promise<void>
}

/** A mail server that rejects every recipient with the given code. */
export async function startRefusingMailServer(code: 450 | 550): Promise<RefusingMailServer> {
  let tries = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.write('220 refusing.test ESMTP\r\n')
    socket.setEncoding('utf8').on('data', (lines: string) => {
      for (const line of lines.split('\r\n').filter(Boolean)) {
        const command = line.slice(0, 4).toUpperCase()
        if (command === 'RCPT') tries += 1
        socket.write(command === 'RCPT' ? `${code} no such mailbox\r\n` : '250 ok\r\n')
        if (command === 'QUIT') socket.end()
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    tries: () => tries,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
