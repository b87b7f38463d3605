import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { waitFor } from '@crewhall/testkit/wait-for.ts'

export interface Balancer {
  readonly url: string
  add(target: string): void
  /** No request goes there any more; returns when those under way have ended, streams aside. */
  takeOut(target: string): Promise<void>
  close(): Promise<void>
}

const isStream = (path: string): boolean => path.startsWith('/api/v1/events/stream')

/** Gives each request to the next process in turn and repeats none: what fails there is seen by the client. */
export async function startBalancer(): Promise<Balancer> {
  const targets: string[] = []
  const underWay = new Map<string, number>()
  const count = (target: string, by: number) => underWay.set(target, (underWay.get(target) ?? 0) + by)
  const agent = new Agent({ keepAlive: true })
  let turn = 0
  const server = createServer((asked, reply) => {
    const { method = 'GET', url = '/', headers } = asked
    const target = targets[turn++ % targets.length]
    if (target === undefined) {
      reply.writeHead(502).end()
      return
    }
    const weight = isStream(url) ? 0 : 1
    count(target, weight)
    reply.on('close', () => {
      count(target, -weight)
      sent.destroy()
    })
    const sent = request(`${target}${url}`, { method, headers, agent, setHost: false }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(reply)
      answer.on('error', () => reply.destroy())
    })
    sent.on('error', () => (reply.headersSent ? reply.destroy() : reply.writeHead(502).end()))
    asked.pipe(sent)
  })
  // The standard is 5 s. On a machine with much to do a client would send on a connection in the instant that it is closed.
  server.keepAliveTimeout = 120_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(target) {
      targets.push(target)
    },
    async takeOut(target) {
      targets.splice(targets.indexOf(target), 1)
      await waitFor(() => underWay.get(target) === 0, 30_000)
    },
    async close() {
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
