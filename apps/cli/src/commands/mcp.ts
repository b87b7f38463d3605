import { createInterface } from 'node:readline'
import type { CommonFlags, Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { eventsIn } from './events.ts'

interface McpFlags extends CommonFlags {
  readonly toolsets?: string
  readonly readonly?: boolean
}

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: {
    readonly name?: unknown
    readonly protocolVersion?: unknown
    readonly _meta?: Record<string, unknown>
  }
}

const versionKey = 'io.modelcontextprotocol/protocolVersion'

/** A bridge from standard input and output to `/mcp`, for clients that start a program. One message on each line. */
export async function mcp(context: Context, _: readonly string[], flags: McpFlags): Promise<undefined> {
  const caller = await context.caller()
  const query = flags.toolsets === undefined ? '' : `?toolsets=${encodeURIComponent(flags.toolsets)}`
  const path = `/mcp${flags.readonly ? '/readonly' : ''}${query}`
  const under = new Set<Promise<void>>()
  let version: string | undefined
  const send = async (line: string): Promise<void> => {
    let message: Message
    try {
      message = JSON.parse(line) as Message
    } catch {
      return write({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } })
    }
    const { method, params, id } = message
    const told = params?._meta?.[versionKey] ?? (method === 'initialize' ? undefined : version)
    try {
      const response = await caller.request(path, {
        method: 'POST',
        body: line,
        stream: true,
        may_repeat: false,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(typeof told === 'string' ? { 'mcp-protocol-version': told } : {}),
          ...(params?._meta?.[versionKey] !== undefined && typeof method === 'string'
            ? { 'mcp-method': method }
            : {}),
          ...(typeof params?.name === 'string' ? { 'mcp-name': params.name } : {}),
        },
      })
      const answers = await messagesIn(response)
      for (const answer of answers) {
        const { result } = answer as { result?: { protocolVersion?: unknown } }
        if (method === 'initialize' && typeof result?.protocolVersion === 'string')
          version = result.protocolVersion
        write(answer)
      }
      if (answers.length === 0 && id !== undefined && response.status >= 400)
        write({
          jsonrpc: '2.0',
          id,
          error: { code: -32_000, message: `${response.status} ${response.statusText}` },
        })
    } catch (error) {
      if (id !== undefined)
        write({
          jsonrpc: '2.0',
          id,
          error: { code: -32_000, message: error instanceof Failure ? error.message : 'failed' },
        })
    }
  }
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  context.signal.addEventListener('abort', () => lines.close())
  for await (const line of lines) {
    if (line.trim() === '') continue
    const sent = send(line)
    // What is agreed on at the beginning counts for all that follows.
    if (version === undefined && /"initialize"/.test(line)) await sent
    under.add(sent)
    sent.finally(() => under.delete(sent))
  }
  await Promise.all(under)
  return undefined
}

const write = (message: unknown): void => void process.stdout.write(`${JSON.stringify(message)}\n`)

/** JSON, or the messages of a stream. */
async function messagesIn(response: Response): Promise<unknown[]> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') && response.body) {
    const found: unknown[] = []
    for await (const event of eventsIn(response.body))
      if (event !== 'comment' && event.data !== '') found.push(JSON.parse(event.data))
    return found
  }
  const text = await response.text()
  try {
    const body = JSON.parse(text) as { jsonrpc?: unknown }
    return body.jsonrpc === undefined ? [] : [body]
  } catch {
    return []
  }
}
