import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import { type GateOptions, outletIn } from '#platform/gate/gate-options.ts'

const maxBodyBytes = 64 * 1024
const limitMs = 15_000
/** More than a cell has desks. */
const maxConnections = 20_000
/** What a request needs to be understood and judged. */
const passedOn = [
  'content-type',
  'content-length',
  'content-digest',
  'signature-input',
  'signature',
  'accept',
]
const passedBack = ['content-type', 'retry-after']

type Headers = Record<string, string | string[] | undefined>

/** Passes POSTs of one path on to the API, as they are: whoever sent them has signed them. */
export function createRelay(options: GateOptions): Server {
  const agent = new Agent({ keepAlive: true, maxSockets: 100, timeout: limitMs })
  const server = createServer(
    { maxHeaderSize: 8192, headersTimeout: 5000, requestTimeout: limitMs, keepAliveTimeout: 5000 },
    (asked, answer) => {
      const length = Number(asked.headers['content-length'] ?? Number.NaN)
      if (asked.method !== 'POST' || asked.url !== options.path) return refuse(answer, 404)
      // Its length is told, so that nobody has to count.
      if (!(length <= maxBodyBytes)) return refuse(answer, 413)
      passOn(options, agent, asked, answer)
    },
  )
  server.maxConnections = maxConnections
  return server
}

function passOn(options: GateOptions, agent: Agent, asked: IncomingMessage, answer: ServerResponse): void {
  const passing = request({
    agent,
    socketPath: outletIn(options.folder),
    method: 'POST',
    path: options.path,
    setHost: false,
    headers: {
      ...only(asked.headers, passedOn),
      host: options.api_host,
      'x-forwarded-for': asked.socket.remoteAddress ?? '',
    },
  })
  passing.setTimeout(limitMs, () => passing.destroy(new Error('the API takes too long')))
  passing.on('response', (received) => {
    answer.writeHead(received.statusCode ?? 502, only(received.headers, passedBack))
    received.on('error', () => answer.destroy()).pipe(answer)
  })
  passing.on('error', () => (answer.headersSent ? answer.destroy() : refuse(answer, 502)))
  asked.on('error', () => passing.destroy()).pipe(passing)
}

/** The rest of the body is not read, so the connection ends with it. */
function refuse(answer: ServerResponse, status: number): void {
  answer.writeHead(status, { connection: 'close', 'content-length': 0 }).end()
}

const only = (headers: Headers, names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])))
