import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Relay {
  readonly url: string
  /** How many requests each target has been given. */
  readonly counts: ReadonlyMap<string, number>
  close(): Promise<void>
}

type Change = (headers: IncomingHttpHeaders, own: string) => IncomingHttpHeaders

/** Stands before servers and gives each request to the next one in turn, as a load balancer would. */
export async function startRelay(
  targets: readonly string[],
  change: Change = (headers) => headers,
): Promise<Relay> {
  const counts = new Map(targets.map((target) => [target, 0]))
  let own = ''
  let turn = 0
  const server = createServer((asked, reply) => {
    const target = targets[turn++ % targets.length] ?? ''
    counts.set(target, (counts.get(target) ?? 0) + 1)
    const { method = 'GET', url = '/' } = asked
    const headers = change(asked.headers, own)
    const sent = request(`${target}${url}`, { method, headers, setHost: false }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(reply)
    })
    sent.on('error', () => reply.destroy())
    reply.on('close', () => sent.destroy())
    asked.pipe(sent)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  own = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${own}`,
    counts,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
