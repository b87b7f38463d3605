import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type DeskHealth, healthPath } from '@crewhall/contracts/fleet/desk-protocol.ts'
import type { Signer } from '../link/signing.ts'
import type { Log } from '../log.ts'

interface HealthOptions {
  readonly address: string
  readonly port: number
  readonly signer: Signer
  readonly log: Log
  report(): Promise<DeskHealth>
}

/** One poller with kept connections, and room for a few who are wrong here. */
const mostConnections = 64
const limits = {
  headersTimeout: 3000,
  requestTimeout: 3000,
  connectionsCheckingInterval: 500,
  // Longer than the time between two checks.
  keepAliveTimeout: 120_000,
  maxHeaderSize: 4096,
}
const nonceForm = /^\?nonce=([A-Za-z0-9_-]{43})$/

/**
 * Says how the desk is to whoever asks with a nonce, signed over that nonce, so that nobody can answer in its place or
 * show an old answer. It has no other path and takes no bodies.
 */
export async function serveHealth(options: HealthOptions): Promise<{ close(): Promise<void> }> {
  const server = createServer(limits, (request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      options.log.error('a health check failed', { error })
      refuse(response, 500)
    })
  })
  server.maxConnections = mostConnections
  server.listen(options.port, options.address)
  await once(server, 'listening')
  return {
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(
  { signer, report }: HealthOptions,
  { method, url = '', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
    return refuse(response, 400)
  if (method !== 'GET' || url.split('?', 1)[0] !== healthPath) return refuse(response, 404)
  const nonce = nonceForm.exec(url.slice(healthPath.length))?.[1]
  if (nonce === undefined) return refuse(response, 400)
  const health = await report()
  const body = JSON.stringify(health)
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...signer.health(health.env_id, nonce, body),
  })
  response.end(body)
}

/** Without a word, and without the connection: what comes next on it may be the body of this request. */
function refuse(response: ServerResponse, status: number): void {
  if (response.headersSent) return
  response.writeHead(status, { 'content-length': 0, connection: 'close' })
  response.end()
}
