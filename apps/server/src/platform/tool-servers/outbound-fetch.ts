import type { Outside } from '#platform/ctx/outside.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import { OutboundFault, type Streamed } from '#platform/outbound/outbound-call.ts'
import { eventLines, messageIn } from '#platform/tool-servers/frugal-body.ts'
import { ToolServerFault } from '#platform/tool-servers/tool-server-fault.ts'

export interface ToolServer {
  readonly url: string
  /** The credential: sent to this URL and to no other. */
  readonly headers: Readonly<Record<string, string>>
  /** Whose calls share places and connections: the workspace. */
  readonly owner: string
}

export interface FetchOptions {
  readonly outbound: Outbound
  readonly outside: Outside
  readonly server: ToolServer
  readonly signal: AbortSignal
  readonly limit_ms: number
  /** For all responses together. */
  readonly max_bytes: number
  /** Called at once: the client has no use for some of what can go wrong, and would wait. */
  readonly fail: (fault: ToolServerFault) => void
}

export type OutboundFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** More than a call or a list of tools can need. */
const mostRequests = 16

/**
 * What the client of the protocol calls instead of `fetch`: only this URL, only over `outbound`, no redirects, and a limit of
 * bytes for everything together.
 */
export function createOutboundFetch(options: FetchOptions): OutboundFetch {
  const { outbound, outside, server, signal, limit_ms, fail } = options
  let left = options.max_bytes
  let requests = 0
  const failed = (...given: ConstructorParameters<typeof ToolServerFault>): ToolServerFault => {
    const fault = new ToolServerFault(...given)
    fail(fault)
    return fault
  }

  async function* counted(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const bytes of body) {
      left -= bytes.length
      if (left < 0) throw new OutboundFault('too_large')
      yield bytes
    }
  }
  const explain = (error: unknown) => (error instanceof OutboundFault ? failed(error.failure) : error)
  async function* explained(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    try {
      yield* body
    } catch (error) {
      throw explain(error)
    }
  }

  return async (url, init = {}) => {
    const method = init.method ?? 'GET'
    // A stream for what a server wants to say unasked: nobody listens.
    if (method === 'GET') return new Response(null, { status: 405 })
    if (String(url) !== new URL(server.url).href) throw failed('redirected')
    requests += 1
    if (requests > mostRequests || (method !== 'POST' && method !== 'DELETE')) throw failed('protocol')
    const sent = typeof init.body === 'string' ? init.body : undefined
    const result = await outbound.stream(outside, {
      url: server.url,
      method,
      headers: { ...ofProtocol(init.headers), ...server.headers, 'accept-encoding': 'identity' },
      ...(sent === undefined ? {} : { body: sent }),
      limit_ms,
      signal: init.signal ? AbortSignal.any([signal, init.signal]) : signal,
      max_bytes: Math.max(0, left),
      keep_for: server.owner,
      may_repeat: mayRepeat(sent),
    })
    if ('failure' in result) throw failed(result.failure)
    const { status, headers } = result
    const reason = refusalOf(result)
    if (reason) {
      result.end()
      throw failed(...reason)
    }
    const kept = new Headers()
    for (const name of ['content-type', 'mcp-session-id']) {
      const value = headers[name]
      if (typeof value === 'string' && value.length <= 512) kept.set(name, value)
    }
    if ([204, 205, 304].includes(status)) {
      result.end()
      return new Response(null, { status, headers: kept })
    }
    const body = counted(result.body)
    if (/^text\/event-stream\b/i.test(kept.get('content-type') ?? ''))
      return new Response(ReadableStream.from(explained(eventLines(body))), { status, headers: kept })
    try {
      return new Response(await messageIn(body), { status, headers: kept })
    } catch (error) {
      throw explain(error)
    }
  }
}

function refusalOf({ status, headers }: Streamed): ConstructorParameters<typeof ToolServerFault> | undefined {
  if (status >= 300 && status < 400) return ['redirected']
  if (status === 401 || status === 403) return ['unauthorized']
  if (status < 200 || status > 599) return ['protocol']
  const encoding = headers['content-encoding'] ?? 'identity'
  return encoding === 'identity' ? undefined : ['protocol', 'it is compressed, which was not asked for']
}

/** The client adds nothing else, and a server's definitions name headers of this kind only. */
function ofProtocol(given: RequestInit['headers']): Record<string, string> {
  const found = [...new Headers(given)].filter(([name]) =>
    /^(accept|content-type|mcp-[a-z0-9-]+)$/.test(name),
  )
  return Object.fromEntries(found)
}

/** A call of a tool has effects; everything else is a question. */
function mayRepeat(body: string | undefined): boolean {
  return body !== undefined && (JSON.parse(body) as { method?: unknown }).method !== 'tools/call'
}

const notForCredentials =
  /^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|accept.*|keep-alive|proxy-.*|mcp-.*|cookie2?)$/

/** Whether a credential can be sent under this name: a header that is not one of HTTP or the protocol itself. */
export function maySend(name: string, value: string): boolean {
  const isName = /^[a-z0-9-]{1,64}$/i.test(name) && !notForCredentials.test(name.toLowerCase())
  return isName && value.length <= 4096 && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)
}
