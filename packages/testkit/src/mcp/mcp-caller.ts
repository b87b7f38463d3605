import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client'
import { type Credential, type Get, type Headers, headersOf } from '../world/call.ts'

export const eras = ['2025-11-25', '2026-07-28'] as const
export type Era = (typeof eras)[number]

interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** What came back for one message, to the byte. */
export interface RpcAnswer<Result = Record<string, unknown>> {
  readonly status: number
  readonly headers: globalThis.Headers
  readonly text: string
  readonly result?: Result
  readonly error?: RpcError
}

export interface ToolAnswer extends RpcAnswer {
  /** All text of the result, or why there is none. */
  readonly said: string
  readonly is_error: boolean
  /** What HTTP would have said: of a refusal the status, and 200 for all that went well. */
  readonly verdict: number
}

export interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: {
    readonly type: 'object'
    readonly properties?: Readonly<Record<string, { readonly enum?: readonly string[] }>>
  }
  readonly annotations?: Readonly<Record<string, boolean | string>>
}

export interface McpOptions {
  readonly path?: string
  readonly era?: Era
  readonly headers?: Headers
  readonly capabilities?: Readonly<Record<string, unknown>>
}

const clientInfo = { name: 'crewhall-tests', version: '1.0.0' }

/** JSON-RPC by `fetch`: what is sent and received is exactly what a test says and sees. */
export class McpCaller {
  readonly #get: Get
  readonly #by: Credential
  readonly #options: McpOptions
  #id = 0

  constructor(get: Get, by: Credential, options: McpOptions = {}) {
    this.#get = get
    this.#by = by
    this.#options = options
  }

  /** The same caller at another address, in another era or with other headers. */
  with(more: McpOptions): McpCaller {
    return new McpCaller(this.#get, this.#by, { ...this.#options, ...more })
  }

  async send<Result = Record<string, unknown>>(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    more: { headers?: Headers; signal?: AbortSignal } = {},
  ): Promise<RpcAnswer<Result>> {
    const { path = '/mcp', era = '2026-07-28', headers = {} } = this.#options
    const isModern = era === '2026-07-28'
    this.#id += 1
    const message = {
      jsonrpc: '2.0',
      id: this.#id,
      method,
      params: isModern ? { ...params, _meta: this.#envelope(era) } : params,
    }
    const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
    const response = await this.#get(path, {
      method: 'POST',
      headers: {
        ...headersOf(this.#by),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': era,
        ...(isModern ? { 'mcp-method': method, ...name } : {}),
        ...headers,
        ...more.headers,
      },
      body: JSON.stringify(message),
      ...(more.signal ? { signal: more.signal } : {}),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, ...parsed<Result>(text) }
  }

  list(): Promise<RpcAnswer<{ tools: readonly ListedTool[] }>> {
    return this.send('tools/list')
  }

  /** The tools of a list that has to be given. */
  async tools(): Promise<readonly ListedTool[]> {
    const { status, result, text } = await this.list()
    if (status !== 200 || !result) throw new Error(`tools/list returned ${status}: ${text}`)
    return result.tools
  }

  async names(): Promise<string[]> {
    return (await this.tools()).map(({ name }) => name)
  }

  async call(
    name: string,
    args: Readonly<Record<string, unknown>> = {},
    more: { params?: Readonly<Record<string, unknown>>; headers?: Headers; signal?: AbortSignal } = {},
  ): Promise<ToolAnswer> {
    const answer = await this.send('tools/call', { name, arguments: args, ...more.params }, more)
    const content = (answer.result?.content ?? []) as readonly { text?: string }[]
    const said = answer.result ? content.map(({ text = '' }) => text).join('') : (answer.error?.message ?? '')
    const is_error = answer.result?.isError === true
    return { ...answer, said, is_error, verdict: verdictOf(answer, said, is_error) }
  }

  #envelope(era: Era): Record<string, unknown> {
    return {
      [PROTOCOL_VERSION_META_KEY]: era,
      [CLIENT_INFO_META_KEY]: clientInfo,
      [CLIENT_CAPABILITIES_META_KEY]: this.#options.capabilities ?? {},
    }
  }
}

function verdictOf({ status, error }: RpcAnswer, said: string, isError: boolean): number {
  if (status !== 200) return status
  if (error) return 422
  return isError ? Number(/^(\d{3}): /.exec(said)?.[1] ?? 422) : 200
}

/** JSON, or the one event that a stream of the older era holds. */
function parsed<Result>(text: string): { result?: Result; error?: RpcError } {
  try {
    const json = /^data: (.*)$/m.exec(text)?.[1] ?? text
    const { result, error } = JSON.parse(json) as { result?: Result; error?: RpcError }
    return { ...(result === undefined ? {} : { result }), ...(error === undefined ? {} : { error }) }
  } catch {
    return {}
  }
}
