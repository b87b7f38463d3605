import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface EventReceiver {
  readonly url: string
  /** Ids of the events, each as often as it came. */
  readonly received: readonly string[]
  close(): Promise<void>
}

/** Takes every webhook with 204. */
export async function startEventReceiver(): Promise<EventReceiver> {
  const received: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { data } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { data: { id: unknown } }
    received.push(String(data.id))
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
