import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedEvent {
  readonly entry: string
  /** What receivers tell a repetition by. */
  readonly webhook_id: string
  readonly at: number
}

export interface EventReceiver {
  readonly url: string
  /** Each as often as it came. */
  readonly received: readonly ReceivedEvent[]
  close(): Promise<void>
}

/** Takes every webhook with 204. */
export async function startEventReceiver(): Promise<EventReceiver> {
  const received: ReceivedEvent[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { data } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { data: { id: unknown } }
    const webhook_id = String(request.headers['webhook-id'])
    received.push({ entry: String(data.id), webhook_id, at: Date.now() })
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
