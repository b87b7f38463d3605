import { once } from 'node:events'
import { connect } from 'node:net'
import { needsOwnServer } from './given-address.ts'

export interface RawAnswer {
  readonly status: number
  /** Names in lower case; of a name sent twice the last value. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Writes the bytes of a request as they are given, including those that no HTTP library would send, and
 * reads what comes back until the server closes the connection. `head` is the request line and the headers.
 */
export async function sendRaw(
  baseUrl: string,
  head: readonly string[],
  body: string | Uint8Array = '',
): Promise<RawAnswer> {
  const { hostname, port, protocol } = new URL(baseUrl)
  if (protocol === 'https:') needsOwnServer('a line without a proxy')
  const socket = connect({ host: hostname, port: Number(port) })
  const chunks: Buffer[] = []
  socket.on('data', (bytes) => chunks.push(Buffer.from(bytes as Buffer)))
  // A server that refuses early closes while we still write; what it said before that counts.
  socket.on('error', () => {})
  socket.write(Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'))
  socket.write(body)
  await once(socket, 'close')
  return parse(Buffer.concat(chunks))
}

function parse(bytes: Buffer): RawAnswer {
  const split = bytes.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = bytes.subarray(0, split).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0)
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return { status, headers, body: bytes.subarray(split + 4).toString('utf8') }
}
