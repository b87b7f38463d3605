import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import type { OutboundCall, OutboundResult } from '#platform/outbound/outbound-call.ts'
import type { Target } from '#platform/outbound/target.ts'

const maxBodyBytes = 65_536

/** One request and its answer on a connection that is there, which ends with it. */
export function exchange(
  line: Socket,
  { path, host_header }: Target,
  { method, headers, body, wants }: OutboundCall,
  signal: AbortSignal,
): Promise<OutboundResult> {
  return new Promise((resolve) => {
    const done = (result: OutboundResult) => {
      line.destroy()
      resolve(result)
    }
    // The answer may trickle in for as long as the other side likes.
    signal.addEventListener('abort', () => done({ failure: 'unreachable' }), { once: true })
    const asked = request({
      createConnection: () => line,
      method,
      path,
      setHost: false,
      headers: {
        ...headers,
        host: host_header,
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
    })
    asked.on('error', (error) => done({ failure: isUnreadable(error) ? 'protocol' : 'unreachable' }))
    asked.on('upgrade', ({ statusCode = 0, headers }) => done({ status: statusCode, headers, body: nothing }))
    asked.on('response', (answer) => {
      if (wants === 'body') return collect(answer, done)
      const { statusCode = 0, headers } = answer
      resolve({ status: statusCode, headers, body: nothing })
      // Read to its end where that is near, so that the other side sees an orderly goodbye.
      collect(answer, () => line.destroy())
    })
    asked.end(body)
  })
}

const nothing = Buffer.alloc(0)

export const isUnreadable = (error: Error & { code?: string }): boolean =>
  error.code?.startsWith('HPE_') ?? false

export function collect(answer: IncomingMessage, done: (result: OutboundResult) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  answer.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBodyBytes) return done({ failure: 'too_large' })
    chunks.push(chunk)
  })
  answer.on('error', () => done({ failure: 'unreachable' }))
  answer.on('end', () => {
    const { statusCode = 0, headers } = answer
    done({ status: statusCode, headers, body: Buffer.concat(chunks) })
  })
}
