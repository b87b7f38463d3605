import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A request of the protocol, as it came. */
export interface Rpc {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly name?: string; readonly arguments?: unknown; readonly cursor?: string }
}

/** Says whatever it likes on the wire, in place of a response. */
export type Reply = (rpc: Rpc, response: ServerResponse) => void

export interface OfferedTool {
  readonly name: string
  readonly [field: string]: unknown
}

export interface ToolServerOptions {
  readonly tools?: readonly OfferedTool[]
  /** What a tool returns; the text of its arguments unless said otherwise. */
  readonly call?: (name: string, args: unknown) => unknown
  /** Methods of the protocol that it treats in another way. */
  readonly on?: Readonly<Record<string, Reply>>
  /** Sends results as a stream of events. */
  readonly is_streamed?: boolean
  /** Keeps a session, and wants it named. */
  readonly has_sessions?: boolean
}

export interface SeenRequest {
  readonly http_method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly rpc: Rpc | undefined
}

export interface StandInToolServer {
  readonly url: string
  readonly port: number
  readonly seen: readonly SeenRequest[]
  /** Connections so far. */
  readonly sockets: readonly Socket[]
  readonly sessions: ReadonlySet<string>
  /** Responses that nobody has ended or left yet. */
  readonly unfinished: number
  /** From now on. */
  change(options: ToolServerOptions): void
  close(): Promise<void>
}

export const echo: OfferedTool = {
  name: 'echo',
  description: 'Returns what it is given.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}

export const send = (
  response: ServerResponse,
  body: unknown,
  type = 'application/json',
  status = 200,
): void =>
  void response
    .writeHead(status, { 'content-type': type })
    .end(typeof body === 'string' ? body : JSON.stringify(body))

export const resultOf = ({ id }: Rpc, result: unknown) => ({ jsonrpc: '2.0', id, result })
export const eventOf = (message: unknown): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`

/** A server of tools of the version 2025-11-25 of the protocol, at the wire, so that it can also break it. */
export async function startToolServer(options: ToolServerOptions = {}): Promise<StandInToolServer> {
  let current = options
  const seen: SeenRequest[] = []
  const sockets: Socket[] = []
  const sessions = new Set<string>()
  let unfinished = 0
  const server = createServer(async (request, response) => {
    unfinished += 1
    response.on('error', () => undefined)
    response.on('close', () => {
      unfinished -= 1
    })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const rpc = text === '' ? undefined : (JSON.parse(text) as Rpc)
    const { method: http_method = '', url: path = '', headers } = request
    seen.push({ http_method, path, headers, rpc })
    if (http_method === 'DELETE') {
      sessions.delete(String(headers['mcp-session-id']))
      return void response.writeHead(200).end()
    }
    if (http_method !== 'POST' || !rpc) return void response.writeHead(405).end()
    const special = current.on?.[rpc.method]
    if (special) return special(rpc, response)
    if (rpc.id === undefined) return void response.writeHead(202).end()
    if (current.has_sessions && rpc.method === 'initialize') {
      const id = `session-${sessions.size + 1}`
      sessions.add(id)
      response.setHeader('mcp-session-id', id)
    }
    const body = answer(current, rpc)
    if (current.is_streamed) send(response, eventOf(body), 'text/event-stream')
    else send(response, body)
  })
  server.on('connection', (socket) => sockets.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    seen,
    sockets,
    sessions,
    get unfinished() {
      return unfinished
    },
    change: (more) => {
      current = more
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function answer({ tools = [echo], call }: ToolServerOptions, rpc: Rpc): unknown {
  if (rpc.method === 'initialize')
    return resultOf(rpc, {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'stand-in', version: '1' },
    })
  if (rpc.method === 'tools/list') return resultOf(rpc, { tools })
  if (rpc.method !== 'tools/call')
    return { jsonrpc: '2.0', id: rpc.id, error: { code: -32_601, message: 'Method not found' } }
  const { name = '', arguments: args } = rpc.params ?? {}
  const result = call?.(name, args) ?? { content: [{ type: 'text', text: JSON.stringify(args) }] }
  return resultOf(rpc, result)
}
