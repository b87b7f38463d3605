import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly id: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
  /** The event in the body. */
  readonly event: {
    readonly type: string
    readonly timestamp: string
    readonly data: Readonly<Record<string, unknown>> & {
      readonly id: string
      readonly board_id: string
      readonly data: Readonly<Record<string, unknown>>
    }
  }
}

interface Reply {
  readonly status: number
  readonly headers?: Record<string, string>
}

/** `hang`: takes the request and never answers. `cut`: ends the connection without a word. */
type Answer = Reply | 'hang' | 'cut'

/** A receiver of webhooks, at the wire, which answers what the test wants. */
export interface Receiver {
  readonly url: string
  readonly port: number
  /** Everything that came, in the order in which it came. */
  readonly received: Received[]
  /** Connections that were opened, also those on which nothing was sent. */
  readonly connections: number
  answer: (received: Received) => Answer | Promise<Answer>
  close(): Promise<void>
}

export async function startReceiver(host = '127.0.0.1'): Promise<Receiver> {
  const received: Received[] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    const one = await read(request)
    received.push(one)
    reply(response, await receiver.answer(one))
  })
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://${host}:${port}/hook`,
    port,
    received,
    get connections() {
      return connections
    },
    answer: () => ({ status: 204 }),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString('utf8')
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  const event = JSON.parse(body) as Received['event']
  return { id: headers['webhook-id'] ?? '', path: request.url ?? '', headers, body, event }
}

function reply(response: ServerResponse, answer: Answer): void {
  if (answer === 'hang') return
  if (answer === 'cut') return void response.socket?.destroy()
  response.writeHead(answer.status, answer.headers ?? {})
  response.end()
}
