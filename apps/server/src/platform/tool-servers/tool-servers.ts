import { createHash } from 'node:crypto'
import {
  Client,
  type PriorDiscovery,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client'
import { bulkheads } from '#platform/bulkheads/bulkheads.ts'
import type { Outside } from '#platform/ctx/outside.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import { cut, maxCharacters, type ToolResult, textOfResult } from '#platform/tool-servers/call-result.ts'
import {
  deriveDefinitions,
  digestOf,
  type ListedTool,
  maxTools,
  type RemoteTool,
} from '#platform/tool-servers/definitions.ts'
import { GuardedTransport } from '#platform/tool-servers/guarded-transport.ts'
import { createOutboundFetch, maySend, type ToolServer } from '#platform/tool-servers/outbound-fetch.ts'
import { Places } from '#platform/tool-servers/places.ts'
import { PriorDiscoveries } from '#platform/tool-servers/prior-discoveries.ts'
import { type ToolServerFailure, ToolServerFault } from '#platform/tool-servers/tool-server-fault.ts'

export type { ToolServer } from '#platform/tool-servers/outbound-fetch.ts'

export interface ToolServerRefusal {
  readonly failure: ToolServerFailure
  /** A sentence for users. Nothing of what the server said is in it. */
  readonly detail: string
}

export interface ListedTools {
  /** By name. */
  readonly tools: readonly RemoteTool[]
  /** The same tools have the same digest. */
  readonly digest: string
}

export interface ListOptions {
  /** Of what is put before each name; both together have at most 64 characters. */
  readonly prefix_length: number
  readonly limit_ms: number
  readonly signal?: AbortSignal
}

export interface CallOptions {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** As it was listed: some servers want arguments repeated in headers. */
  readonly input_schema: Readonly<Record<string, unknown>>
  readonly limit_ms: number
  readonly signal?: AbortSignal
  /** Of everything that is received. */
  readonly max_bytes?: number
  /** Of the text of the result, with the note that it was cut. */
  readonly max_characters?: number
}

/** Tools of servers that somebody else runs, over the Model Context Protocol. Never throws because of the other side. */
export interface ToolServers {
  list(outside: Outside, server: ToolServer, options: ListOptions): Promise<ListedTools | ToolServerRefusal>
  call(outside: Outside, server: ToolServer, options: CallOptions): Promise<ToolResult | ToolServerRefusal>
}

interface Deps {
  readonly outbound: Outbound
  readonly version: string
}

interface Limits {
  readonly limit_ms: number
  readonly signal?: AbortSignal | undefined
  readonly max_bytes: number
}

const maxBytes = 262_144
const mostPages = 8
const maxError = 2000
const goodbyeMs = 2000

export function createToolServers(deps: Deps): ToolServers {
  const places = new Places(bulkheads.tool_calls)
  const priors = new PriorDiscoveries()

  async function during<T>(
    outside: Outside,
    server: ToolServer,
    limits: Limits,
    work: (client: Client) => Promise<T>,
  ): Promise<T | ToolServerRefusal> {
    try {
      if (!Object.entries(server.headers).every(([name, value]) => maySend(name, value)))
        throw new ToolServerFault('credential')
      const late = AbortSignal.timeout(limits.limit_ms)
      const signal = limits.signal ? AbortSignal.any([late, limits.signal]) : late
      const leave = await places.take(server.owner, signal)
      return await converse({ ...deps, outside, server, limits, priors, signal, leave }, work)
    } catch (error) {
      if (error instanceof ToolServerFault) return { failure: error.failure, detail: error.detail }
      throw error
    }
  }

  return {
    async list(outside, server, { prefix_length, ...limits }) {
      const listed = await during(outside, server, { ...limits, max_bytes: maxBytes }, listAll)
      if ('failure' in listed) return listed
      const tools = deriveDefinitions(listed, prefix_length)
      if (!('reason' in tools)) return { tools, digest: digestOf(tools) }
      const { failure, detail } = new ToolServerFault('definitions', tools.reason)
      return { failure, detail }
    },

    call(outside, server, { name, arguments: args, input_schema, ...more }) {
      const { max_bytes = maxBytes, max_characters = maxCharacters } = more
      const limits = { limit_ms: more.limit_ms, signal: more.signal, max_bytes }
      return during(outside, server, limits, async (client) => {
        try {
          // Without its schema of results, which is somebody else's code for a validator.
          const toolDefinition = { name, inputSchema: { ...input_schema, type: 'object' as const } }
          const result = await client.callTool({ name, arguments: { ...args } }, { toolDefinition })
          return textOfResult(result, max_characters)
        } catch (error) {
          if (!(error instanceof ProtocolError)) throw error
          // What is wrong with the arguments is for whoever made them.
          return { text: cut(error.message.toWellFormed(), maxError), is_error: true }
        }
      })
    },
  }
}

/** Page by page, because the client would gather as many as there are. */
async function listAll(client: Client): Promise<readonly ListedTool[]> {
  const listed: ListedTool[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const { tools, nextCursor } = await client.request({ method: 'tools/list', params })
    listed.push(...tools)
    if (nextCursor === undefined) return listed
    if (listed.length > maxTools) break
    cursor = nextCursor
  }
  throw new ToolServerFault(
    'definitions',
    `it has more than ${maxTools}, or more than ${mostPages} pages of them`,
  )
}

interface Conversation extends Deps {
  readonly outside: Outside
  readonly server: ToolServer
  readonly limits: Limits
  readonly priors: PriorDiscoveries
  readonly signal: AbortSignal
  /** Gives the place back. */
  leave(): void
}

/** From the first word to the last. Throws a `ToolServerFault`, and whatever is a fault of ours. */
async function converse<T>(conversation: Conversation, work: (client: Client) => Promise<T>): Promise<T> {
  const { outbound, version, outside, server, limits, priors, signal, leave } = conversation
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  // It may come when everything is over.
  failed.catch(() => undefined)
  const giveUp = () => fail(new ToolServerFault(limits.signal?.aborted ? 'aborted' : 'timeout'))
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  const { limit_ms, max_bytes } = limits
  const fetch = createOutboundFetch({ outbound, outside, server, signal, limit_ms, max_bytes, fail })
  const transport = new GuardedTransport(new URL(server.url), fetch, fail)
  const client = createClient(version)
  const key = keyOf(server)
  const talk = async () => {
    const prior = priors.find(key)
    // Longer than the limit, which alone decides.
    await client.connect(transport, { timeout: limit_ms + 1000, ...(prior ? { prior } : {}) })
    if (!prior) priors.keep(key, priorOf(client))
    return await work(client)
  }
  try {
    const talking = talk()
    talking.catch(() => undefined)
    return await Promise.race([talking, failed])
  } catch (error) {
    // It may have learned the other version of the protocol meanwhile.
    priors.forget(key)
    throw faultOf(error)
  } finally {
    signal.removeEventListener('abort', giveUp)
    void sayGoodbye(client, transport).finally(leave)
  }
}

function createClient(version: string): Client {
  return new Client(
    { name: 'crewhall', version },
    {
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
      // A schema of the other side is never compiled: that would make code of it.
      jsonSchemaValidator: {
        getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'not validated' }),
      },
    },
  )
}

const priorOf = (client: Client): PriorDiscovery => {
  const discover = client.getDiscoverResult()
  return discover ? { kind: 'modern', discover } : { kind: 'legacy' }
}

const keyOf = ({ owner, url, headers }: ToolServer): string =>
  createHash('sha256')
    .update(JSON.stringify([owner, url, headers]))
    .digest('base64url')

/** Servers that keep sessions are told when one is over. Nobody waits for that, and it holds the place for a moment only. */
async function sayGoodbye(client: Client, transport: GuardedTransport): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, goodbyeMs)
  try {
    if (transport.sessionId !== undefined) await Promise.race([transport.terminateSession(), late])
  } catch {
    // It is over either way.
  } finally {
    clearTimeout(timer)
    await client.close().catch(() => undefined)
  }
}

function faultOf(error: unknown): unknown {
  if (error instanceof ToolServerFault) return error
  if (error instanceof SdkHttpError && error.status !== undefined)
    return new ToolServerFault('status', String(error.status))
  if (error instanceof ProtocolError) return new ToolServerFault('error', String(error.code))
  if (!(error instanceof SdkError)) return error instanceof Error ? new ToolServerFault('protocol') : error
  if (error.code === SdkErrorCode.UnsupportedResultType) return new ToolServerFault('asks_back')
  if (error.code === SdkErrorCode.ClientHttpUnexpectedContent)
    return new ToolServerFault('protocol', 'it is neither JSON nor a stream of events')
  return new ToolServerFault('protocol')
}
