import { protectedResourcePath } from '@crewhall/contracts/identity/oauth.ts'
import { crossSite, notAuthenticated } from '@crewhall/contracts/identity/refusals.ts'
import { Refusal } from '@crewhall/contracts/refusal.ts'
import { token } from '@crewhall/contracts/route.ts'
import type { OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { PlainAnswer, PlainRequest, Refused } from '#platform/http/plain-route.ts'
import { type CallDeps, type Called, callTool, checkCaller } from './calls.service.ts'
import { type GrantDeps, listGrantedTools, nothingGranted } from './granted.service.ts'
import { isForeignOrigin } from './origins.rules.ts'
import type { Exchange, Protocol } from './protocol.ts'
import type { OutsideTool } from './proxied/outside-tools.rules.ts'
import { type Address, checkAddress, definitionsOf, type View, viewOf } from './view.service.ts'

export interface GatewayDeps extends CallDeps, GrantDeps {
  readonly protocol: Protocol
  readonly public_url: URL
}

const jsonType = 'application/json'

/** One message of a client: it says who it is in each of them, and nothing is kept between two. */
export async function serveCall(
  ctx: OutsideSystemCtx,
  deps: GatewayDeps,
  address: Address,
  request: PlainRequest,
): Promise<PlainAnswer> {
  try {
    return await serve(ctx, deps, address, request)
  } catch (error) {
    throw error instanceof Refusal && error.status === notAuthenticated.status
      ? new Refusal(error.status, error.detail, { 'www-authenticate': challengeOf(deps, address) })
      : error
  }
}

/** RFC 9728: a client that has no token learns where to ask for one. */
function challengeOf({ public_url }: GatewayDeps, address: Address): string {
  const path =
    address.kind === 'agent' ? `/agents/${address.agent_id}` : address.kind === 'readonly' ? '/readonly' : ''
  // What cannot be an agent is described nowhere, and must not get into a header.
  if (!/^[\w/-]{0,300}$/.test(path)) return 'Bearer'
  return `Bearer resource_metadata="${public_url.origin}${protectedResourcePath}/mcp${path}"`
}

async function serve(
  ctx: OutsideSystemCtx,
  deps: GatewayDeps,
  address: Address,
  request: PlainRequest,
): Promise<PlainAnswer> {
  const { headers, inside } = request
  if (isForeignOrigin(headers.origin, deps.public_url)) throw crossSite()
  // A session is for people; a browser would send its cookie for any page.
  if (headers.authorization === undefined) throw notAuthenticated()
  // Before the body, which may be long: nobody's is read before it is known who calls.
  await inside.as(token(), (ctx) => checkAddress(ctx, address))
  const message = await messageOf(request)
  if ('refused' in message) return message.refused
  const view = await inside.as(token(), (ctx) => openView(ctx, deps, address, request, message))
  const calls = new Calls(deps, view, request)
  const response = await deps.protocol.serve(requestOf(deps, request), message.body, calls)
  if (calls.failure !== undefined) throw calls.failure
  const body = await response.text()
  ctx.log.debug({ method: message.method, status: response.status }, 'message of a client')
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? jsonType,
    body,
  }
}

/** What is called of the product is checked by its route; what is shown, or called elsewhere, is checked here. */
async function openView(
  ctx: OutsideBrandCtx,
  deps: GatewayDeps,
  address: Address,
  request: PlainRequest,
  { method, tool }: Message,
): Promise<View> {
  const { inside } = request
  const isOwn = method === 'tools/call' && !tool?.includes(outsideMark)
  if (!isOwn) {
    await ctx.confirm()
    inside.count(ctx)
  }
  const toolsets = toolsetsOf(request)
  // The product's own tools are there without a grant.
  const needsGrants = !isOwn || address.kind === 'agent' || toolsets !== undefined
  const granted = needsGrants ? await listGrantedTools(ctx, deps) : nothingGranted
  return viewOf(ctx, inside, address, toolsets, granted)
}

/** Stands in the name of every tool of a package from outside, and of no other. */
const outsideMark = '__'

/** What the tools of one message do, and what came of it that is no business of the protocol. */
class Calls implements Exchange {
  readonly instructions = 'Tools of a Crewhall workspace. `whoami` tells who you are, `help` what there is.'
  readonly #deps: GatewayDeps
  readonly #view: View
  readonly #request: PlainRequest
  /** Said in HTTP: a credential that is not good any more, an outage, a bug. */
  failure: unknown

  constructor(deps: GatewayDeps, view: View, request: PlainRequest) {
    this.#deps = deps
    this.#view = view
    this.#request = request
  }

  list() {
    return definitionsOf(this.#view)
  }

  call: Exchange['call'] = (name, args, round) => {
    const view = this.#view
    const { inside } = this.#request
    const tool = view.tools.find((each) => each.name === name)
    if (tool) return this.#noting(name, callTool(this.#deps, { view, inside, tool, args, round }))
    const outside = view.outside.find(({ definition }) => definition.name === name)
    if (outside) return this.#noting('outside', this.#callOutside(outside, args))
    return this.#noting('unknown', this.#refuseUnknown())
  }

  async #refuseUnknown(): Promise<Called> {
    await checkCaller(this.#request.inside)
    return { result: undefined, outcome: 'fault' }
  }

  /** Somebody else's server takes the time that it takes; the limit is its own. */
  #callOutside(tool: OutsideTool, args: unknown): Promise<Called> {
    const signal = this.#request.gone()
    return this.#request.aside(() => this.#deps.proxied.call(this.#view.ctx, tool, args, signal))
  }

  async #noting(name: string, work: Promise<Called>): Promise<Called['result']> {
    try {
      const { result, outcome, status } = await work
      if (status === notAuthenticated.status) this.failure = notAuthenticated()
      this.#observe(name, outcome)
      return result
    } catch (error) {
      this.failure = error
      this.#observe(name, 'outage')
      throw error
    }
  }

  #observe(tool: string, outcome: Called['outcome']): void {
    this.#deps.metrics.tool_calls.inc({ tool, outcome })
  }
}

function toolsetsOf({ query, headers }: PlainRequest): string | undefined {
  const header = headers['x-mcp-toolsets']
  return query.get('toolsets') ?? (typeof header === 'string' ? header : undefined)
}

interface Message {
  readonly body: object
  readonly method: string | undefined
  /** The name of the tool that is called. */
  readonly tool: string | undefined
}

/** Malformed JSON and what no era has any more are refused in the words of JSON-RPC. */
async function messageOf(request: PlainRequest): Promise<Message | { refused: PlainAnswer }> {
  let body: unknown
  try {
    body = await request.json()
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 422) throw error
    return { refused: rpcError(400, -32_700, `Parse error: ${error.message}`) }
  }
  if (body === undefined) return { refused: rpcError(400, -32_700, 'Parse error: there is no body') }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { refused: rpcError(400, -32_600, 'Invalid Request: one message in each request') }
  const { method, id, params } = body as {
    method?: unknown
    id?: unknown
    params?: { name?: unknown } | null
  }
  // It would open a stream, and there is nothing to tell on one.
  if (method === 'subscriptions/listen')
    return {
      refused: rpcError(
        404,
        -32_601,
        'Method not found',
        typeof id === 'string' || typeof id === 'number' ? id : null,
      ),
    }
  return { body, method: textOrNothing(method), tool: textOrNothing(params?.name) }
}

const textOrNothing = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The headers that the protocol knows; a credential is none of its business. */
function requestOf({ public_url }: GatewayDeps, { headers }: PlainRequest): Request {
  const known = Object.entries(headers).filter(
    ([name, value]) =>
      typeof value === 'string' && (name.startsWith('mcp-') || name === 'accept' || name === 'content-type'),
  )
  return new Request(new URL('/mcp', public_url), { method: 'POST', headers: known as [string, string][] })
}

function rpcError(
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
): PlainAnswer {
  return { status, type: jsonType, body: JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id }) }
}

/** What is refused before it is a message: as HTTP has it, with a body that clients of the protocol can read. */
export function refuseCall({ status, detail }: Refused): PlainAnswer {
  const message = typeof detail === 'string' ? detail : JSON.stringify(detail)
  return rpcError(status, status >= 500 ? -32_603 : -32_000, message)
}
