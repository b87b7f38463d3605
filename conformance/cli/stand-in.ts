import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll } from 'vitest'

type Respond = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** Services that say what a test wants, to see what is sent to them; they end with the test file. */
export function useStandIns(): (respond: Respond) => Promise<string> {
  const servers: Server[] = []
  afterAll(() => {
    for (const each of servers) {
      each.closeAllConnections()
      each.close()
    }
  })
  return async (respond) => {
    const listening = createServer(async (request, response) =>
      respond(request, response, await text(request)),
    )
    servers.push(listening)
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
  }
}

export const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-12345', ...headers })
    .end(JSON.stringify(body))
}
