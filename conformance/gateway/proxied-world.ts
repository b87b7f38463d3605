import type { TestServer } from '@crewhall/testkit/test-server.ts'
import {
  type StandInToolServer,
  startToolServer,
  type ToolServerOptions,
} from '@crewhall/testkit/tool-server/tool-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { adminKey, type Install, MarketWorkspace } from '../marketplace/market-workspace.ts'

export interface ToolText {
  readonly text: string
  readonly is_error: boolean
}

interface RpcBody {
  readonly result?: {
    readonly tools?: readonly { readonly name: string }[]
    readonly content?: readonly { readonly text: string }[]
    readonly isError?: boolean
  }
  readonly error?: { readonly message: string }
}

/** A workspace with a package of a server that somebody else runs, and a token that calls its tools. */
export class ProxiedWorkspace {
  readonly market: MarketWorkspace
  readonly token: string
  readonly install: Install
  readonly tools: StandInToolServer
  readonly #get: TestServer['get']

  constructor(given: {
    market: MarketWorkspace
    token: string
    install: Install
    tools: StandInToolServer
    get: TestServer['get']
  }) {
    this.market = given.market
    this.token = given.token
    this.install = given.install
    this.tools = given.tools
    this.#get = given.get
  }

  get key(): string {
    return this.install.package_key
  }

  async rpc(
    method: string,
    params: object = {},
    how: { path?: string; signal?: AbortSignal; get?: TestServer['get'] } = {},
  ) {
    const { path = '/mcp', signal, get = this.#get } = how
    const response = await get(path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      ...(signal ? { signal } : {}),
    })
    return { status: response.status, body: (await response.json()) as RpcBody }
  }

  async names(path = '/mcp'): Promise<string[]> {
    const { body } = await this.rpc('tools/list', {}, { path })
    return (body.result?.tools ?? []).map(({ name }) => name).filter((name) => name.includes('__'))
  }

  /** What the tool `echo` returned, or why there is no such tool. */
  async echo(how: Parameters<ProxiedWorkspace['rpc']>[2] = {}): Promise<ToolText> {
    const params = { name: `${this.key}__echo`, arguments: { text: 'hi' } }
    const { body } = await this.rpc('tools/call', params, how)
    const text = body.result?.content?.map((block) => block.text).join('\n') ?? body.error?.message ?? ''
    return { text, is_error: body.result?.isError ?? true }
  }
}

let made = 0

/** Publishes a package whose server runs here. */
export async function publish(world: World, url: string, key = `outside-${++made}`): Promise<string> {
  const by = { admin_key: adminKey }
  const texts = { title: 'T', description: 'D', publisher: 'P' }
  await world.made(by, 'POST', '/api/v1/admin/packages', { key, ...texts })
  const version = { version: '1.0.0', url, touches: ['All'], credential: 'optional' }
  await world.made(by, 'POST', `/api/v1/admin/packages/${key}/versions`, version)
  return key
}

export async function openProxied(
  server: TestServer,
  options: ToolServerOptions = {},
  more: object = { everyone: true },
): Promise<ProxiedWorkspace> {
  const tools = await startToolServer(options)
  const key = await publish(new World(server), tools.url)
  const market = await MarketWorkspace.open(server)
  const install = await market.install(key, more)
  const token = await market.tokenWith(['brand:read'])
  return new ProxiedWorkspace({ market, token, install, tools, get: server.get })
}
