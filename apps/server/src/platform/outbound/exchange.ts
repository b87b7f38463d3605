import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { type Line, type LineFailure, LineFault, type Lines } from '#platform/outbound/lines.ts'
import { type Answered, OutboundFault } from '#platform/outbound/outbound-call.ts'

export const maxBodyBytes = 65_536

interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export interface Begun {
  readonly response: IncomingMessage
  /** Ends the connection with everything on it. */
  end(): void
}

/**
 * One request and the beginning of its response. `stale`: a connection that was kept had ended before anything came back,
 * which says nothing about the other side; it may have read the request all the same.
 */
export function ask(
  lines: Lines,
  line: Line,
  { method, path, headers, body }: Asked,
): Promise<Begun | { readonly failure: LineFailure } | 'stale'> {
  return new Promise((resolve) => {
    const options = {
      agent: lines,
      host: line.target.host,
      port: line.target.port,
      method,
      path,
      setHost: false,
      headers: {
        ...headers,
        host: line.target.host_header,
        ...(line.keep_for === undefined ? { connection: 'close' } : {}),
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
      line,
    }
    const asked = request(options)
    const end = () => void asked.destroy()
    endWith(line.signal, asked, end)
    asked.on('error', (error: Error & { code?: string }) => {
      if (error instanceof LineFault) return resolve({ failure: error.failure })
      if (isUnreadable(error)) return resolve({ failure: 'protocol' })
      resolve(asked.reusedSocket && !line.signal.aborted ? 'stale' : { failure: 'unreachable' })
    })
    // Whoever speaks another protocol from here on cannot be asked again on this line.
    asked.on('upgrade', (_response, socket) => {
      socket.destroy()
      resolve({ failure: 'protocol' })
    })
    asked.on('response', (response) => resolve({ response, end }))
    asked.end(body)
  })
}

/** The answer may trickle in for as long as the other side likes. */
function endWith(signal: AbortSignal, asked: ClientRequest, end: () => void): void {
  signal.addEventListener('abort', end, { once: true })
  asked.once('close', () => signal.removeEventListener('abort', end))
  if (signal.aborted) end()
}

const isUnreadable = (error: Error & { code?: string }): boolean => error.code?.startsWith('HPE_') ?? false

/** The body, up to a size. Ends the connection when it is left before its end. */
export async function* bodyOf(
  { response, end }: Begun,
  max_bytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  let size = 0
  let isComplete = false
  try {
    for await (const chunk of joined(response)) {
      size += chunk.length
      if (size > max_bytes) throw new OutboundFault('too_large')
      yield chunk
    }
    isComplete = true
  } catch (error) {
    if (error instanceof OutboundFault) throw error
    throw new OutboundFault(isUnreadable(error as Error) ? 'protocol' : 'unreachable')
  } finally {
    if (!isComplete) end()
  }
}

/** All that has arrived, in one piece: a body of single bytes would otherwise cost a step for each of them. */
async function* joined(response: IncomingMessage): AsyncGenerator<Buffer, void, undefined> {
  let pieces: Buffer[] = []
  let held = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece)
    held += piece.length
    // Whoever sends faster than this reads would never be done.
    if (response.readableLength > 0 && held < maxBodyBytes) continue
    yield pieces.length === 1 ? piece : Buffer.concat(pieces)
    pieces = []
    held = 0
  }
  if (pieces.length > 0) yield Buffer.concat(pieces)
}

export async function collect(begun: Begun): Promise<Answered | { readonly failure: LineFailure }> {
  const { statusCode: status = 0, headers } = begun.response
  try {
    const chunks: Buffer[] = []
    for await (const chunk of bodyOf(begun, maxBodyBytes)) chunks.push(chunk)
    return { status, headers, body: Buffer.concat(chunks) }
  } catch (error) {
    if (error instanceof OutboundFault) return { failure: error.failure }
    throw error
  }
}
