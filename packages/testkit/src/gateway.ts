import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Gateway {
  readonly url: string
  /** How many requests got no response of the server. */
  readonly refused: number
  /** From now on requests go to another process. */
  leadTo(target: string): void
  close(): Promise<void>
}

const page = '<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>'

/** Stands before a server as a reverse proxy does: a page and 502 while the server is away, a broken line when it dies. */
export async function startGateway(target: string): Promise<Gateway> {
  let refused = 0
  let to = target
  const server = createServer((asked, reply) => {
    const { method = 'GET', url = '/', headers } = asked
    const sent = request(`${to}${url}`, { method, headers, setHost: false }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(reply)
      answer.on('error', () => reply.destroy())
    })
    sent.on('error', () => {
      if (reply.headersSent) reply.destroy()
      else {
        refused += 1
        reply.writeHead(502, { 'content-type': 'text/html' }).end(page)
      }
    })
    reply.on('close', () => sent.destroy())
    asked.pipe(sent)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    get refused() {
      return refused
    },
    leadTo(next) {
      to = next
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
