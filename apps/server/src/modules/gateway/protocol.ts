import type { ToolDefinition } from '@crewhall/contracts/tools/definitions.ts'
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'

/** What one message is about, settled before the library sees it: the library knows neither callers nor tools. */
export interface Exchange {
  readonly instructions: string
  list(): readonly ToolDefinition[]
  /** Undefined if there is no such tool. */
  call(name: string, args: unknown, round: Round): Promise<CallResult | Question | undefined>
}

export interface CallResult {
  readonly content: CallToolResult['content']
  readonly is_error: boolean
}

/** Asks the person behind the client before anything is done. */
export interface Question {
  readonly message: string
  /** Comes back with the answer. */
  readonly state: string
}

/** What a call says of questions. */
export interface Round {
  /** Only in the newer era, and if the client can show a form. */
  readonly can_ask: boolean
  readonly state: string | undefined
  readonly answer: 'accept' | 'decline' | 'cancel' | undefined
}

export interface Protocol {
  /** Both eras; each message stands for itself, so any process may get the next one. */
  serve(request: Request, message: unknown, exchange: Exchange): Promise<Response>
  close(): Promise<void>
}

const questionKey = 'confirm'

export function createProtocol(version: string): Protocol {
  const exchanges = new WeakMap<Request, Exchange>()
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const exchange = requestInfo && exchanges.get(requestInfo)
      if (!exchange) throw new Error('a message came without its exchange')
      return serverOf(version, exchange)
    },
    { legacy: 'reject' },
  )
  return {
    async serve(request, message, exchange) {
      if (await isLegacyRequest(request, message)) return serveLegacy(version, request, message, exchange)
      exchanges.set(request, exchange)
      return modern.fetch(request, { parsedBody: message })
    },
    close: () => modern.close(),
  }
}

/** The library's own way to serve this era sends streams. */
async function serveLegacy(
  version: string,
  request: Request,
  message: unknown,
  exchange: Exchange,
): Promise<Response> {
  const server = serverOf(version, exchange)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  // Nothing is left to close: the response is there when the message is done with, and nobody holds either of them.
  return transport.handleRequest(request, { parsedBody: message })
}

/** Low-level on purpose: registering thirty tools for each message would cost more than most calls. */
function serverOf(version: string, exchange: Exchange): Server {
  const server = new Server(
    { name: 'crewhall', title: 'Crewhall', version },
    { capabilities: { tools: {} }, instructions: exchange.instructions },
  )
  server.setRequestHandler('tools/list', () => ({ tools: [...exchange.list()] as never }))
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const result = await exchange.call(params.name, params.arguments, roundOf(ctx))
    // Without its name, which may be anything.
    if (!result) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool')
    return 'state' in result ? asking(result) : { content: result.content, isError: result.is_error }
  })
  return server
}

function roundOf({ mcpReq }: ServerContext): Round {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] as Capabilities | undefined
  const response = inputResponse(mcpReq.inputResponses, questionKey)
  const isAccepted =
    response.kind === 'elicit' && response.action === 'accept' && response.content?.confirm === true
  return {
    can_ask: canShowForms(capabilities),
    state: mcpReq.requestState<string>(),
    answer: response.kind !== 'elicit' ? undefined : isAccepted ? 'accept' : declined(response.action),
  }
}

const declined = (action: string): 'decline' | 'cancel' => (action === 'cancel' ? 'cancel' : 'decline')

interface Capabilities {
  readonly elicitation?: { readonly form?: object; readonly url?: object }
}

/** A client that says nothing of modes knows forms only. */
function canShowForms(capabilities: Capabilities | undefined): boolean {
  const { elicitation } = capabilities ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

const asking = ({ message, state }: Question): InputRequiredResult =>
  inputRequired({
    inputRequests: {
      [questionKey]: inputRequired.elicit({
        message,
        requestedSchema: {
          type: 'object',
          properties: { confirm: { type: 'boolean', title: 'Do it' } },
          required: ['confirm'],
        },
      }),
    },
    requestState: state,
  })
